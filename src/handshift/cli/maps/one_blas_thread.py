"""One thread of OpenBLAS for the commands of maps, unless the user asks for more; imported before numpy.

Threads of OpenBLAS wait actively for each other, also in products of matrices as small as a map: beside other
work 40 maps took 48 s to score (2.9 s of the processor), and 24 s (1.6 s) with one thread.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is loaded
