sh: 0: cannot open d.sh: No such file
rex: replayed E:exp0; outputs in O2
