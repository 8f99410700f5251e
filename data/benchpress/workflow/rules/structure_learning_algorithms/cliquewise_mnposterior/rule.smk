include: "../../../scripts/structure_learning_algorithms/cliquewise.smk"
