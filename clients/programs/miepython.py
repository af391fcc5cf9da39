"""miepython: light scattered by spheres."""
import os

os.environ["MIEPYTHON_USE_JIT"] = "1"
import miepython  # noqa: E402
import numpy as np  # noqa: E402


def efficiencies():
    """Extinction, scattering, backscattering and asymmetry for many sizes."""
    return miepython.efficiencies_mx(1.5 - 0.1j, np.linspace(0.1, 20.0, 30))


def coefficients():
    """Mie's coefficients of a sphere."""
    return miepython.coefficients(1.33 - 0.01j, 12.0)


def angles():
    """Amplitudes by angle."""
    return miepython.S1_S2(1.5 - 0.1j, 5.0, np.linspace(-1, 1, 15))
