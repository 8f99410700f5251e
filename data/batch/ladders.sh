#!/bin/bash
# The posterior probabilities of edges by independent ladders, as an array job of Slurm; the last job averages them.
#
#   runs=$(DATA=a.csv STEPS=200000000 sbatch --parsable --array=1-4 ladders.sh)
#   DATA=a.csv sbatch --dependency=afterok:$runs ladders.sh
#
#SBATCH --job-name=ladders
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
mkdir -p results
stem=results/$(basename "$DATA" .csv)

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    exec mntools average "$stem"-ladder-*.edges -q -o "$stem.posterior.edges"
fi

run=$stem-ladder-$SLURM_ARRAY_TASK_ID
kept=(--checkpoint "$run.checkpoint" --resume)
if [ "${MISSING:-state}" = em ]; then kept=(); fi  # its chains have no checkpoint
srun mnposterior "$DATA" --missing "${MISSING:-state}" ${SCORE:+--score "$SCORE"} ${ESS:+--ess "$ESS"} \
    --ladders 2 --seed "$SLURM_ARRAY_TASK_ID" --iterations "$STEPS" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" "${kept[@]}" -q -o "$run.edges"
code=$?
if [ "$code" -eq 130 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
