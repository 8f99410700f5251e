#!/bin/bash
# The blankets of many variables in parts, as an array job of Slurm; the last job makes one network of them.
#
#   parts=$(DATA=wide.csv PARTS=8 sbatch --parsable --array=1-8 parts.sh)
#   DATA=wide.csv PARTS=8 sbatch --dependency=afterok:$parts parts.sh
#
#SBATCH --job-name=parts
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
mkdir -p results
options=(--missing "${MISSING:-state}" ${SCORE:+--score "$SCORE"} ${ESS:+--ess "$ESS"})
stem=results/$(basename "$DATA" .csv)

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    set -e
    mntools merge "$stem"-*-of-"$PARTS".blankets -o "$stem.blankets"
    mplearn "$DATA" "${options[@]}" --blankets "$stem.blankets" --threads "${SLURM_CPUS_PER_TASK:-1}" -q -o "$stem.edges"
    exit
fi

part=$stem-$SLURM_ARRAY_TASK_ID-of-$PARTS
srun mplearn "$DATA" "${options[@]}" --blankets-only --shard "$SLURM_ARRAY_TASK_ID/$PARTS" --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --checkpoint "$part.checkpoint" --resume -q -o "$part.blankets"
code=$?
if [ "$code" -eq 130 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
