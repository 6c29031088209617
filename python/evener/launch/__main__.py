import sys

from evener.launch.entry import main

sys.exit(main(sys.argv[1:]))
