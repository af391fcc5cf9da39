"""`numba.np.ufunc.omppool`: programs import it to see whether the layer `omp` may be asked for. There is one pool, which goes by that name,
too (`rumba.parallel.thread_pool`); OpenMP is not behind it.
"""
openmp_vendor = None
