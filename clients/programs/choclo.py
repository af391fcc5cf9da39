"""choclo: gravity and magnetic kernels of point sources and prisms."""
import numpy as np
from choclo import dipole, point, prism
from numba import njit

PRISM = (-10.0, 12.0, -8.0, 9.0, -20.0, -5.0)


def point_gravity():
    """Potential and acceleration of a point."""
    where = 1.0, 2.0, 30.0, -3.0, 4.0, -10.0
    return [f(*where, 1e9) for f in (point.gravity_pot, point.gravity_e, point.gravity_n, point.gravity_u,
                                     point.gravity_ee, point.gravity_nu)]


def prism_gravity():
    """Potential, acceleration and gradients of a prism."""
    return [f(3.0, 2.0, 15.0, *PRISM, 2670.0) for f in (prism.gravity_pot, prism.gravity_e, prism.gravity_u, prism.gravity_uu)]


def prism_magnetics():
    """The magnetic field of a prism."""
    return prism.magnetic_field(3.0, 2.0, 15.0, *PRISM, 1.0, 2.0, -0.5)


def dipole_field():
    """The magnetic field of a dipole."""
    return dipole.magnetic_field(1.0, 2.0, 30.0, -3.0, 4.0, -10.0, 1.0, 2.0, -0.5)


def forward_model():
    """Kernels as arguments of a compiled loop over all pairs."""
    @njit(parallel=True)
    def forward(e, n, u, sources, masses, kernel):
        result = np.zeros(e.size)
        for i in range(e.size):
            for j in range(masses.size):
                result[i] += kernel(e[i], n[i], u[i], sources[j, 0], sources[j, 1], sources[j, 2], masses[j])
        return result

    draw = np.random.default_rng(0)
    return forward(*draw.random((3, 40)), -draw.random((15, 3)), draw.random(15), point.gravity_u)
