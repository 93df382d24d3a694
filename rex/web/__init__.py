"""The pages of `rex ui` and `rex runnew`: a small server on this machine, for one archive and one user."""
