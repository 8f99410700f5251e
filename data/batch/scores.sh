#!/bin/bash
# The scores of all sets of up to LARGEST variables in parts, as an array job of Slurm; the last job makes one file of them.
#
#   parts=$(DATA=a.csv LARGEST=5 PARTS=5 sbatch --parsable --array=1-5 scores.sh)
#   DATA=a.csv PARTS=5 sbatch --dependency=afterok:$parts scores.sh
#
#SBATCH --job-name=scores
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
mkdir -p results
stem=results/$(basename "$DATA" .csv)

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    exec mntools merge "$stem"-*-of-"$PARTS".scores -o "$stem.scores"
fi

srun dmscore "$DATA" "${ESS:-1}" "$LARGEST" --missing "${MISSING:-state}" ${SCORE:+--score "$SCORE"} \
    --shard "$SLURM_ARRAY_TASK_ID/$PARTS" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" -q -o "$stem-$SLURM_ARRAY_TASK_ID-of-$PARTS.scores"
