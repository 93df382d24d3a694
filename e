sh: 0: cannot open d.sh: No such file
rex: recorded E:exp0 in 0.01 s: 1 process, 5 files, 1.2 MB stored; replay with: rex replay -l E -e exp0
