# Every table and figure of the five papers, run again: from data files to records to tables, pictures and a report.
#
#   make lsmarkov-table1             one of them          make papers BUDGET=quick          all, within 40 minutes
#   make papers DATA=../sets         where the data are   make papers BUDGET=paper          limits as published: days
#
# A record is a row of CSV about one run ($(PAPERS) measure), written whole or not at all; so what was interrupted goes on
# where it was, and -j2 runs two at a time. DATA/lsmarkov, junctor, coarsen, twlearn, mplearn and debd hold the data sets
# under the names that the published tables (*.csv) have; what is not there is skipped, and named under its table.

BUDGET ?= quick
DATA ?= results/data
ORIGINALS ?= originals
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
R := results/$(BUDGET)
PAPERS := $(abspath .venv/bin/python) -m cliquewise.data.papers
HERE := data/papers

# The budgets. `try` is one small case of each target, for the tests.
ifeq ($(BUDGET),paper)
include $(HERE)/budget-paper.mk
else ifeq ($(BUDGET),quick)
include $(HERE)/budget-quick.mk
else ifeq ($(BUDGET),try)
include $(HERE)/budget-try.mk
else
$(error BUDGET=$(BUDGET): quick or paper)
endif

LSMARKOV_TABLES := lsmarkov-table1 lsmarkov-table2 lsmarkov-table3
LSMARKOV_FIGURES := lsmarkov-figure2 lsmarkov-figure3 lsmarkov-figure4
JUNCTOR_FIGURES := junctor-timing-seconds junctor-timing-megabytes
COARSEN_TABLES := coarsen-table2 coarsen-table3 coarsen-table4 coarsen-table5
MPL_FIGURES := mpl-figure2a mpl-figure2b mpl-figure3 mpl-figure5a mpl-figure5b mpl-figure6 mpl-figure7 mpl-figure8
MPL_TABLES := mpl-table3 mpl-table4 mpl-table5 mpl-table6a mpl-table6b mpl-table7
TABLES := $(LSMARKOV_TABLES) junctor-timing $(COARSEN_TABLES) $(MPL_TABLES) twlearn-table2 debd posterior originals
FIGURES := $(LSMARKOV_FIGURES) $(JUNCTOR_FIGURES) $(MPL_FIGURES) twlearn-figure1
# the order of the report
REPORT := lsmarkov-table1 lsmarkov-table2 lsmarkov-table3 lsmarkov-figure2 lsmarkov-figure3 lsmarkov-figure4 \
  junctor-timing junctor-timing-seconds junctor-timing-megabytes \
  coarsen-table2 coarsen-table3 coarsen-table4 coarsen-table5 \
  mpl-figure2a mpl-figure2b mpl-figure3 mpl-table3 mpl-figure5a mpl-figure5b mpl-table4 mpl-figure6 mpl-table5 \
  mpl-table6a mpl-figure7 mpl-table6b mpl-figure8 mpl-table7 twlearn-table2 twlearn-figure1 debd posterior originals

.PHONY: papers report data $(TABLES) $(FIGURES) mpl-figure2 mpl-figure5
.DELETE_ON_ERROR:

papers:  ## rerun every table and figure of the papers; BUDGET=quick (the default) or paper, DATA=folder
	+@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) report

report: results/REPORT.md

# Samples of the networks stand for those of the paper, of the same size; `make data` draws them where they are missing.
DRAWN := alarm-10000 insurance-10000 hailfinder-10000 barley-5000 water-10000
data: | $(STAMP)  ## get the papers' public data sets into results/data; says which are not to be had
	@.venv/bin/python $(HERE)/fetch.py results/data
	@mkdir -p results/data/lsmarkov; cd results/data; for one in $(DRAWN); do network=$${one%-*}; rows=$${one#*-}; \
	  set=lsmarkov/$$network$$rows.csv; test ! -e mplearn/$$network.bif || test -e $$set || \
	  { $(CURDIR)/.venv/bin/mnmodel sample mplearn/$$network.bif --rows $$rows --seed 1 -q -o $$set && echo "drawn: $$set"; }; done

# ---- tables, pictures, report ----

$(foreach t,$(TABLES),$(eval $(t): $(R)/$(t).md))
$(foreach f,$(FIGURES),$(eval $(f): $(R)/$(f).png))
junctor-timing: $(JUNCTOR_FIGURES:%=$(R)/%.png)
mpl-figure2: mpl-figure2a mpl-figure2b
mpl-figure5: mpl-figure5a mpl-figure5b

results/%: export PATH := $(CURDIR)/.venv/bin:$(PATH)

$(TABLES:%=$(R)/%.md): $(R)/%.md: $(HERE)/%.toml | $(STAMP)
	@mkdir -p $(R)
	$(PAPERS) table $< --records $(R) --format csv -o $(R)/$*.csv
	$(PAPERS) table $< --records $(R) -o $@
	@test -d $(DATA) || echo "no data sets: there is no $(DATA); make data gets the public ones, DATA=folder names others"
	@echo "$@:"; tail -n 1 $@

$(FIGURES:%=$(R)/%.png): $(R)/%.png: $(HERE)/%.toml | $(STAMP)
	@mkdir -p $(R)
	$(PAPERS) plot $< --records $(R) -o $(R)/$*.svg
	$(PAPERS) plot $< --records $(R) -o $@

results/REPORT.md: $(TABLES:%=$(R)/%.md) $(FIGURES:%=$(R)/%.png)
	$(PAPERS) report $(REPORT:%=$(HERE)/%.toml) --records $(R) --title 'Reruns of the papers, budget $(BUDGET)' \
	  --html results/report.html -o $@
	@echo 'The report is in results/REPORT.md, and with all figures in results/report.html.'

# ---- what the rules below share ----

# the sets of a folder that are there
have = $(foreach set,$(2),$(if $(wildcard $(DATA)/$(1)/$(set).csv),$(set)))
# one measured run: `$(measure) --set ... command ...`; its network and trace lie beside the record
measure = @mkdir -p $(@D); echo $(@:$(R)/%.csv=%); exec $(PAPERS) measure -q -o $@
out = $(basename $@)
# how many columns the first prerequisite has
columns = $$(($$(head -n 1 $< | tr -cd , | wc -c) + 1))

# Kernels are compiled before anything is timed.
$(R)/ready: | $(STAMP)
	@mkdir -p $(R)
	@echo "compiling the kernels: some minutes, once"
	@for replicas in 1 2 4; do \
	  mnmodel sample -q --rows 60 --replicas $$replicas --seed 1 -o $(R)/warm-$$replicas.csv && \
	  mplearn -q $(R)/warm-$$replicas.csv -o /dev/null && \
	  lsmarkov -q $(R)/warm-$$replicas.csv --time-limit 1 -o /dev/null && \
	  coarsen -q $(R)/warm-$$replicas.csv --method greedy --time-limit 5 -o /dev/null && \
	  twlearn -q $(R)/warm-$$replicas.csv -w 2 --method s2 --max-parents 1 --iterations 5 -o /dev/null || exit 1; done
	@cut -d, -f1-9 data/votes.csv > $(R)/warm.csv
	@for options in '--preset ecai2020' --greedy '--precompute --max-clique 3'; do \
	  lsmarkov -q $(R)/warm.csv --missing state $$options --iterations 500 -o /dev/null || exit 1; done
	@mnposterior -q $(R)/warm.csv --missing state --time-limit 1 -o /dev/null
	@mnposterior -q $(R)/warm.csv --missing state --draws 10 -o /dev/null
	@for method in dp ilp; do junctor -q $(R)/warm.csv --missing state --method $$method -o /dev/null || exit 1; done
	@for method in chordal s2 skp kp milp; do twlearn -q $(R)/warm.csv --missing state -w 2 --method $$method \
	  --time-limit 1 -o /dev/null || exit 1; done
	@coarsen -q $(R)/warm.csv --missing state -o /dev/null; mplearn -q $(R)/warm.csv --missing state --score pic -o /dev/null
	@mplearn -q $(R)/warm.csv --missing state --score cmi --threshold 0.1 -o /dev/null; dmscore -q data/tiny.csv 1 -o /dev/null
	@rm -f $(R)/warm*.csv; touch $@

include $(HERE)/chordal.mk
include $(HERE)/pseudolikelihood.mk
include $(HERE)/beyond.mk
