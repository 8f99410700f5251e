# The rule of every module cliquewise_*; its rule.smk includes this file. Benchpress's Snakefile has put the name of the
# module's folder into module_name, and the modules that write a trajectory of graphs into mcmc_modules.
rule:
    name:
        module_name
    input:
        data=alg_input_data(),
        edgeConstraints=lambda wildcards: (
            f"resources/constraints/{name}" if (name := wildcards.get("edgeConstraints", "None")) != "None" else []
        ),
    output:
        graph=(alg_output_seqgraph_path_nocomp if module_name in mcmc_modules else alg_output_adjmat_path)(module_name),
        time=alg_output_time_path(module_name),
        ntests=alg_output_ntests_path(module_name),
    params:
        program=module_name.removeprefix("cliquewise_"),
    container:
        None
    script:
        "cliquewise_learner.py"
