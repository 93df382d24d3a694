# Python computes, the shell arranges.
python3 model.py data.txt 3 > fit3.txt
python3 model.py data.txt 5 > fit5.txt
sort -g -o best.txt fit3.txt
cat best.txt fit5.txt > fits.txt
python3 report.py fits.txt title > report.txt
