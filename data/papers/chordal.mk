# Chordal networks and networks of bounded treewidth: the papers on lsmarkov, Junctor, coarsening and twlearn.

# ---- Rantanen, Hyttinen, Järvisalo (ECAI 2020): BDeu, ess 10 ----

# Table 1: the first 17 columns, and their optimum
$(R)/first17/%.csv: $(DATA)/lsmarkov/%.csv
	@mkdir -p $(@D); cut -d, -f1-17 $< > $@.tmp && mv $@.tmp $@

$(R)/lsmarkov-table1/%.lsmarkov.csv: $(R)/first17/%.csv
	$(measure) --set name=$* --set n=17 --set method=lsmarkov --network $(out).txt --trace $(out).trace \
	  lsmarkov $< --ess 10 --time-limit $(TABLE1_SECONDS) --seed 1 --threads 1 -q --trace $(out).trace -o $(out).txt

$(R)/lsmarkov-table1/%.junctor.csv: $(R)/first17/%.csv
	$(measure) --set name=$* --set n=17 --set method=junctor --network $(out).txt \
	  junctor $< --ess 10 --threads 1 -q -o $(out).txt

table1 := $(call have,lsmarkov,$(LSMARKOV_SETS))
RECORDS := $(table1:%=$(R)/lsmarkov-table1/%.lsmarkov.csv) $(table1:%=$(R)/lsmarkov-table1/%.junctor.csv)
$(R)/lsmarkov-table1.md: $(RECORDS)
$(RECORDS): | $(R)/ready
.PRECIOUS: $(R)/first17/%.csv

# Table 2: all columns; and the optimum with cliques of at most 3
$(R)/lsmarkov-table2/%.lsmarkov.csv: $(DATA)/lsmarkov/%.csv
	$(measure) --set name=$* --set n=$(columns) --set method=lsmarkov --network $(out).txt --trace $(out).trace \
	  lsmarkov $< --ess 10 --time-limit $(TABLE2_SECONDS) --seed 1 --threads 1 -q --trace $(out).trace -o $(out).txt

$(R)/lsmarkov-table2/%.exact3.csv: $(DATA)/lsmarkov/%.csv
	$(measure) --set name=$* --set n=$(columns) --set method=exact3 --network $(out).txt --allow-exit 1 \
	  junctor $< --ess 10 --method ilp --max-clique 3 --time-limit $(EXACT_SECONDS) --seed 1 --threads 1 -q -o $(out).txt

table2 := $(call have,lsmarkov,$(LSMARKOV_SETS))
exact3 := $(call have,lsmarkov,$(EXACT3_SETS))
RECORDS := $(table2:%=$(R)/lsmarkov-table2/%.lsmarkov.csv) $(exact3:%=$(R)/lsmarkov-table2/%.exact3.csv)
$(R)/lsmarkov-table2.md $(R)/lsmarkov-table3.md $(R)/lsmarkov-figure4.png: $(RECORDS)
$(RECORDS): | $(R)/ready

# Table 3: scores computed beforehand, for cliques of at most 3, 4 and 5; `timeout` as the time limit begins after that
define precompute
$(R)/lsmarkov-table3/%.precompute$(1).csv: $(DATA)/lsmarkov/%.csv
	$$(measure) --set name=$$* --set n=$$(columns) --set method=precompute$(1) --network $$(out).txt \
	  --trace $$(out).trace --allow-exit 1 --allow-exit 124 timeout $(PRECOMPUTE_TIMEOUT) \
	  lsmarkov $$< --ess 10 --precompute --max-clique $(1) --time-limit $(TABLE3_SECONDS) --seed 1 --threads 1 -q \
	  --trace $$(out).trace -o $$(out).txt
RECORDS += $$(patsubst %,$(R)/lsmarkov-table3/%.precompute$(1).csv,$$(call have,lsmarkov,$$(PRECOMPUTE$(1)_SETS)))
endef
RECORDS :=
$(foreach size,3 4 5,$(eval $(call precompute,$(size))))
$(R)/lsmarkov-table3.md: $(RECORDS)
$(RECORDS): | $(R)/ready

# Figures 2 and 3: neighbourhoods and the greedy baseline over time; seeds
define neighbourhoods
$(R)/lsmarkov-figure2/%.$(1).csv: $(DATA)/lsmarkov/%.csv
	$$(measure) --set name=$$* --set operations=$(1) --trace $$(out).trace \
	  lsmarkov $$< --ess 10 --preset ecai2020 $(if $(filter greedy,$(1)),--greedy,--operations $(1)) \
	  --time-limit $(FIGURE2_SECONDS) --seed 1 --threads 1 -q --trace $$(out).trace -o $$(out).txt
endef
define seeds
$(R)/lsmarkov-figure3/%.$(1).csv: $(DATA)/lsmarkov/%.csv
	$$(measure) --set name=$$* --set operations=CEV --set seed=$(1) --trace $$(out).trace \
	  lsmarkov $$< --ess 10 --preset ecai2020 --operations CEV \
	  --time-limit $(FIGURE2_SECONDS) --seed $(1) --threads 1 -q --trace $$(out).trace -o $$(out).txt
endef
OPERATIONS := C E V CE CV EV CEV greedy
SEEDS := 1 2 3 4 5 6 7
$(foreach operations,$(OPERATIONS),$(eval $(call neighbourhoods,$(operations))))
$(foreach seed,$(SEEDS),$(eval $(call seeds,$(seed))))
figure2 := $(call have,lsmarkov,$(FIGURE2_SETS))
RECORDS := $(foreach one,$(OPERATIONS),$(figure2:%=$(R)/lsmarkov-figure2/%.$(one).csv))
$(R)/lsmarkov-figure2.png: $(RECORDS)
$(R)/lsmarkov-figure3.png: $(figure2:%=$(R)/lsmarkov-figure2/%.E.csv)
$(RECORDS): | $(R)/ready
RECORDS := $(foreach one,$(SEEDS),$(figure2:%=$(R)/lsmarkov-figure3/%.$(one).csv))
$(R)/lsmarkov-figure3.png: $(RECORDS)
$(RECORDS): | $(R)/ready

# ---- Kangas, Niinimäki, Koivisto (NIPS 2014): time and memory against n ----

$(R)/alarm/%.csv: $(DATA)/coarsen/alarm.csv
	@mkdir -p $(@D); cut -d, -f1-$* $< > $@.tmp && mv $@.tmp $@

define timing
$(R)/junctor-timing/%.$(1).csv: $(R)/alarm/%.csv
	$$(measure) --set n=$$* --set method=$(1) --network $$(out).txt --allow-exit 1 \
	  junctor $$< --ess 10 $(2) --threads 1 -q -o $$(out).txt
endef
$(eval $(call timing,table,--method dp --no-bounds))
$(eval $(call timing,bounds,--method dp))
$(eval $(call timing,cuts,--method ilp --max-clique 4 --time-limit $(EXACT_SECONDS)))
alarm := $(if $(call have,coarsen,alarm),yes)
RECORDS := $(if $(alarm),$(TIMING_TABLE:%=$(R)/junctor-timing/%.table.csv) \
  $(TIMING_BOUNDS:%=$(R)/junctor-timing/%.bounds.csv) $(TIMING_CUTS:%=$(R)/junctor-timing/%.cuts.csv))
$(R)/junctor-timing.md $(JUNCTOR_FIGURES:%=$(R)/%.png): $(RECORDS)
$(RECORDS): | $(R)/ready

# ---- Orfanides, Pérez (PGM 2020): BDeu, ess 1 ----

# Tables 2 and 5: cliques of at most 4
define coarsening
$(R)/coarsen-table2/%.$(1).csv: $(DATA)/coarsen/%.csv | $(R)/ready
	$$(measure) --set name=$$* --set n=$$(columns) --set method=$(1) --network $$(out).txt \
	  $(2) $$< --ess 1 --max-clique 4 $(3) --threads 1 -q --format edges -o $$(out).txt
.PRECIOUS: $(R)/coarsen-table2/%.$(1).csv
$(R)/coarsen-table5/%.$(1).csv: $(R)/coarsen-table2/%.$(1).csv $(R)/coarsen-table2/%.exact.csv
	$$(measure) --set name=$$* --set n=$$$$(sed -n 's/^# variables //p' $(R)/coarsen-table2/$$*.exact.txt) \
	  --set method=$(1) --json mntools compare --format json \
	  $(R)/coarsen-table2/$$*.$(1).txt $(R)/coarsen-table2/$$*.exact.txt
endef
$(eval $(call coarsening,tree,coarsen,--method forest --start tree))
$(eval $(call coarsening,greedy,coarsen,--method greedy))
$(eval $(call coarsening,ic,coarsen,--preset pgm2020))
$(eval $(call coarsening,best,coarsen,))
$(eval $(call coarsening,exact,junctor,--time-limit $(OPTIMUM_SECONDS)))
$(foreach k,0 1 2,$(eval $(call coarsening,fic$(k),coarsen,--method fic --preset pgm2020 --forced $(k))))
coarsen := $(call have,coarsen,$(COARSEN_SETS))
RECORDS := $(foreach one,tree greedy ic best exact,$(coarsen:%=$(R)/coarsen-table2/%.$(one).csv))
$(R)/coarsen-table2.md: $(RECORDS)
$(RECORDS): | $(R)/ready
RECORDS := $(foreach one,tree greedy fic0 fic1 fic2,$(coarsen:%=$(R)/coarsen-table5/%.$(one).csv))
$(R)/coarsen-table5.md: $(RECORDS)
$(RECORDS): | $(R)/ready

# Tables 3 and 4: columns of one data set drawn at random; the stem is their number and the draw's
$(R)/draws/%.csv: $(DATA)/coarsen/qsar_androgen_receptor.csv
	@mkdir -p $(@D); cut -d, -f"$$(awk -v draw=$* -v m=$(columns) 'BEGIN { split(draw, of, "-"); srand(of[1] * 100 + of[2]); \
	  for (i = 0; i < of[1]; ) { c = 1 + int(m * rand()); if (!(c in seen)) { seen[c]; i++; print c } } }' \
	  | sort -n | paste -sd, -)" $< > $@.tmp && mv $@.tmp $@
.PRECIOUS: $(R)/draws/%.csv $(R)/alarm/%.csv

define drawn
$(R)/$(1)/%.$(2).csv: $(R)/draws/%.csv
	$$(measure) --set 'data set=QAR' --set n=$$(columns) --set sample=$$* --set method=$(2) --network $$(out).txt \
	  coarsen $$< --ess 1 $(3) --time-limit $(DRAW_SECONDS) --threads 1 -q -o $$(out).txt
endef
define draws
$(eval $(call drawn,$(1),tree,--method forest --start tree))
$(eval $(call drawn,$(1),greedy,--method greedy))
$(foreach length,4 8 12,$(eval $(call drawn,$(1),ic$(length),--preset pgm2020 --max-length $(length))))
RECORDS := $(if $(call have,coarsen,qsar_androgen_receptor),\
  $(foreach one,tree greedy ic4 ic8 ic12,$(2:%=$(R)/$(1)/%.$(one).csv)))
endef
$(eval $(call draws,coarsen-table3,$(TABLE3_DRAWS)))
$(R)/coarsen-table3.md: $(RECORDS)
$(RECORDS): | $(R)/ready
$(eval $(call draws,coarsen-table4,$(TABLE4_DRAWS)))
$(R)/coarsen-table4.md: $(RECORDS)
$(RECORDS): | $(R)/ready

# ---- Nie, Mauá, de Campos, Ji (NIPS 2014): BDeu, ess 1 ----

file-nursery := nursery
file-breast := breastw_med
file-housing := housing_med
file-adult := adult_med
file-zoo := zoo
file-letter := letter_med
file-mushroom := mushroom22
file-wdbc := wdbc_med
file-audio := audiology200
file-hill := hill_med
file-community := community_med

# of a set, a treewidth, a method with its options, most parents and seed
define bounded
$(R)/$(1)/$(2)-$(3).$(4).csv: $(DATA)/twlearn/$(file-$(2)).csv | $(R)/ready
	$$(measure) --set name=$(2) --set n=$$(columns) --set treewidth=$(3) --set method=$(firstword $(subst -, ,$(4))) \
	  --network $$(out).txt --allow-exit 1 \
	  twlearn $$< --missing state --ess 1 -w $(3) $(5) --threads 1 -q -o $$(out).txt
RECORDS += $(R)/$(1)/$(2)-$(3).$(4).csv
endef
with_sets = $(foreach set,$(1),$(if $(call have,twlearn,$(file-$(set))),$(set)))

RECORDS :=
$(foreach set,$(call with_sets,$(TWLEARN_SETS)),$(foreach w,$(TREEWIDTHS),\
  $(eval $(call bounded,twlearn-table2,$(set),$(w),milp,--method milp --time-limit $(TWLEARN_SECONDS) --seed 1))))
$(foreach set,$(call with_sets,$(KP_SETS)),$(foreach w,$(TREEWIDTHS),\
  $(eval $(call bounded,twlearn-table2,$(set),$(w),kp,--method kp --time-limit $(TWLEARN_SECONDS)))))
$(R)/twlearn-table2.md: $(RECORDS)

parents = --max-parents $(if $(filter hill community,$(1)),2,3)
limit = --time-limit $(TWLEARN_FIGURE_SECONDS)
RECORDS :=
$(foreach set,$(call with_sets,$(TWLEARN_FIGURE_SETS)),$(foreach w,4 10,\
  $(eval $(call bounded,twlearn-figure1,$(set),$(w),empty,--method s2 --max-parents 0 --iterations 1))\
  $(eval $(call bounded,twlearn-figure1,$(set),$(w),milp,--method milp $(call parents,$(set)) $(limit)))\
  $(foreach seed,$(TWLEARN_SEEDS),\
    $(if $(filter 4,$(w)),$(eval $(call bounded,twlearn-figure1,$(set),$(w),skp-$(seed),--method skp \
      $(call parents,$(set)) $(limit) --seed $(seed))))\
    $(eval $(call bounded,twlearn-figure1,$(set),$(w),s2-$(seed),--method s2 $(call parents,$(set)) $(limit) --seed $(seed)))\
    $(eval $(call bounded,twlearn-figure1,$(set),$(w),chordal-$(seed),--method chordal $(call parents,$(set)) $(limit) \
      --seed $(seed))))))
$(R)/twlearn-figure1.png: $(RECORDS)
