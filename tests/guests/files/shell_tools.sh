#!/bin/sh
# Deletes, changes, replaces and lists inputs with the usual tools.
#
# live: yes
# shows: chdir, fchmodat, fstatfs, lgetxattr, linkat, renameat2, sigaltstack, symlinkat, unlinkat, utimensat
# source: names, renames, files without a name
sed -i s/one/1/ in.txt; echo four >> in.txt; cat in.txt
rm data/a.txt; [ -e data/a.txt ] || echo "a.txt is gone"
cp -r data copy; mv copy/b.txt copy/c.txt; ls -R copy
ln -s ../in.txt copy/in; ln copy/c.txt copy/hard; cat copy/in; ls -l copy | wc -l
sort -o in.txt in.txt; head -1 in.txt; : > empty; chmod 600 empty
mkdir -p deep/er/est; touch deep/er/est/file; touch -d 2001-02-03 deep; find deep | sort
tar cf - data copy | tar tf - | sort
cp -p in.txt kept; cmp in.txt kept && echo same
mv in.txt middle.txt; cat middle.txt > in.txt; rm middle.txt; wc -c in.txt
for f in data/*; do echo "$f"; done; for f in none*; do echo "$f"; done
dd if=in.txt of=part bs=1 skip=2 count=5 2> /dev/null; cat part; echo
test outer -nt in.txt || echo "outer is older"; rmdir data 2> /dev/null || echo "not empty"
rm -r deep; cat none 2>&1; ls none 2>&1; cd none 2> /dev/null || echo "no such directory"
stat -c '%n %i %Y %h' data/b.txt; du -s data > /dev/null; df . | wc -l
cd data && pwd && cd .. && cd - > /dev/null && cat ../in.txt && cd ..
echo "guest done"
