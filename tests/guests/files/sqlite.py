"""An SQLite database with journal and locks, in a file and in memory.

shows: fcntl, fdatasync, getdents64, getrandom, pread64, pwrite64
source: locks
"""
import os
import sqlite3

with sqlite3.connect("base.db") as base:
    base.execute("create table t (k integer primary key, v text, r real)")
    base.executemany("insert into t values (?, ?, ?)", ((i, f"text {i}", i / 3) for i in range(2000)))
    base.execute("create index v on t (v)")
base.execute("update t set v = 'changed' where k % 7 = 0")
base.commit()
base.execute("delete from t where k < 100")
base.rollback()
print(base.execute("select count(*), sum(r) from t where v = 'changed'").fetchone())
print(base.execute("select random(), datetime('now'), hex(randomblob(4))").fetchone())
base.execute("pragma journal_mode = wal")
base.execute("insert into t values (9999, 'late', 0)")
base.commit()
other = sqlite3.connect("base.db")
print(other.execute("select max(k) from t").fetchone(), sorted(os.listdir(".")))
other.close()
base.close()
print(os.path.getsize("base.db"))
print("guest done")
