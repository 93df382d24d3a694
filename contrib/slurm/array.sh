#!/bin/sh
#SBATCH --job-name=rex-array
#SBATCH --array=0-9
#SBATCH --time=01:00:00
# Records one experiment for each task of the array into one archive, which several tasks may write at once.
# Afterwards: rex ls EXP --failed; rex ls EXP --where seed=3
set -eu
ARCHIVE=${ARCHIVE:-$SLURM_SUBMIT_DIR/EXP}
seed=$SLURM_ARRAY_TASK_ID
exec rex record -l "$ARCHIVE" -e "job$SLURM_ARRAY_JOB_ID-$seed" --label "seed=$seed" --label "job=$SLURM_ARRAY_JOB_ID" -- "$@" "$seed"
