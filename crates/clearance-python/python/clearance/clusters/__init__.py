"""Batch queries on the workers of a compute cluster.

``clearance.clusters.dask`` runs them on Dask and needs the package ``distributed``; ``clearance.clusters.ray`` runs
them on Ray and needs the package ``ray``. Both have a class ``Cluster`` with the batch functions of this package. The
modules are imported by name, so neither dependency is needed for the other.
"""
