# Python computes, the shell arranges.
command -v python3 > /dev/null || { echo "needs python3: apt-get install python3" >&2; exit 127; }
python3 model.py data.txt 3 > fit3.txt
python3 model.py data.txt 5 > fit5.txt
tools/merge fit3.txt fit5.txt > fits.txt
python3 report.py fits.txt title > report.txt
