"""The page of `rex runnew`: a small server on this machine, for one archive and one user."""
