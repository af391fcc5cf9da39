"""quantecon: economics, its compiled parts."""
import numpy as np
import quantecon as qe
from numba import njit


def roots():
    """Root finders that take compiled functions."""
    @njit
    def f(x):
        return x ** 3 - 2 * x - 5

    @njit
    def slope(x):
        return 3 * x ** 2 - 2

    from quantecon.optimize import bisect, brentq, newton
    return bisect(f, 1.0, 4.0).root, brentq(f, 1.0, 4.0).root, newton(f, 2.0, slope).root


def simplex_search():
    """Nelder-Mead on Rosenbrock's function."""
    from quantecon.optimize import nelder_mead

    @njit
    def rosenbrock(x):
        return -(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)

    return np.round(nelder_mead(rosenbrock, np.array([-2.0, 1.0])).x, 6)


def scalar_maximum():
    """A maximum between bounds."""
    from quantecon.optimize import brent_max

    @njit
    def f(x):
        return -(x + 2.0) ** 2 + 1.0

    return brent_max(f, -3.0, 2.0)[:2]


def markov_chain():
    """A simulated path and its stationary distribution."""
    chain = qe.MarkovChain([[0.4, 0.6, 0.0], [0.2, 0.5, 0.3], [0.0, 0.1, 0.9]])
    return chain.simulate(50, init=0, random_state=1), chain.stationary_distributions


def decision_process():
    """A discrete dynamic program by policy and value iteration."""
    rewards = np.array([[5.0, 10.0], [-1.0, -np.inf]])
    moves = np.array([[[0.5, 0.5], [0.0, 1.0]], [[0.0, 1.0], [0.5, 0.5]]])
    ddp = qe.markov.DiscreteDP(rewards, moves, 0.95)
    return ddp.solve(method="value_iteration").v, ddp.solve(method="policy_iteration").sigma


def inequality():
    """Gini coefficient and Lorenz curve."""
    y = np.random.default_rng(0).pareto(2.0, 300)
    return qe.gini_coefficient(y), qe.lorenz_curve(y)


def quadrature():
    """Nodes and weights."""
    return qe.quad.qnwlege(7, -1.0, 2.0), qe.quad.qnwcheb(5, 0.0, 1.0), qe.quad.qnwsimp(9, 0.0, 1.0)


def linear_program():
    """The simplex method."""
    from quantecon.optimize import linprog_simplex
    c = np.array([4.0, 3.0])
    return linprog_simplex(c, np.array([[1.0, 1.0], [2.0, 1.0]]), np.array([10.0, 16.0])).x


def random_vectors():
    """Random probability vectors (guvectorize, parallel)."""
    found = qe.random.probvec(4, 3, random_state=1234)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    return found


def game():
    """Equilibria of a bimatrix game."""
    g = qe.game_theory.NormalFormGame([[(3, 3), (3, 2)], [(2, 2), (5, 6)], [(0, 3), (6, 1)]])
    return qe.game_theory.lemke_howson(g), qe.game_theory.vertex_enumeration(g)
