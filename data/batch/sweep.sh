#!/bin/bash
# A sweep, data sets x seeds, as an array job of Slurm: a task learns one network.
#
#   DATA="a.csv b.csv c.csv" SEEDS=4 STEPS=20000000 sbatch --array=1-12 sweep.sh
#
# A task that is preempted, killed or out of time goes on from its checkpoint when it is run again; one that was asked to
# stop in time (SIGUSR1, a minute before the limit) queues itself again. The networks are in results/, named by data set
# and seed; best.sh makes a table of them.
#SBATCH --job-name=sweep
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
readarray -t data < <(xargs -n 1 <<< "$DATA")
at=$((SLURM_ARRAY_TASK_ID - 1))
file=${data[at / SEEDS]}
seed=$((at % SEEDS + 1))
mkdir -p results
stem=results/$(basename "$file" .csv)-$seed

srun lsmarkov "$file" --missing "${MISSING:-state}" ${SCORE:+--score "$SCORE"} ${ESS:+--ess "$ESS"} \
    --seed "$seed" --iterations "$STEPS" --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --checkpoint "$stem.checkpoint" --checkpoint-every "${EVERY:-60}" --resume -q -o "$stem.cliques"
code=$?
if [ "$code" -eq 130 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
