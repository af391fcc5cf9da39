"""`numba.np.ufunc.workqueue`: programs import it to see whether the layer `workqueue` may be asked for. There is one pool, which goes by
that name, too (`rumba.parallel.thread_pool`).
"""
