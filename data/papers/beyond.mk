# Beyond the papers: density estimation, edge probabilities, and speed beside the originals.

# ---- density estimation: test log-likelihood a row of the benchmark's splits (binary, no header) ----

define estimated
$(R)/debd/%.$(1).csv: $(DATA)/debd/%.train.csv $(DATA)/debd/%.test.csv | $(R)/ready
	@mkdir -p $$(@D); $(2) $$< --header no $(3) --threads 1 -q -o $$(out).txt
	$$(measure) --set name=$$* --set method=$(1) --network $$(out).txt --json \
	  mnmodel loglik $$< $$(out).txt $(DATA)/debd/$$*.test.csv --header no $(4) --format json -q
endef
$(eval $(call estimated,tree,coarsen,--method forest --score ll,--ess 1))
$(eval $(call estimated,network,lsmarkov,--ess 10 --time-limit $(DEBD_SECONDS) --seed 1))
debd := $(foreach set,$(DEBD_SETS),$(if $(wildcard $(DATA)/debd/$(set).train.csv),$(set)))
$(R)/debd.md: $(foreach one,tree network,$(debd:%=$(R)/debd/%.$(one).csv))

# ---- edge probabilities: sampled ones beside exact ones, first columns of Voting, ess 1 ----

$(R)/voting/%.csv: $(DATA)/coarsen/Voting.csv
	@mkdir -p $(@D); cut -d, -f1-$* $< > $@.tmp && mv $@.tmp $@

$(R)/posterior/%.exact.csv: $(R)/voting/%.csv
	$(measure) --set name=Voting --set n=$* --set method=exact --network $(out).txt \
	  mnposterior $< --draws 10000 --seed 1 --threads 1 -q -o $(out).txt
$(R)/posterior/%.chains.csv: $(R)/voting/%.csv
	$(measure) --set name=Voting --set n=$* --set method=chains --network $(out).txt \
	  mnposterior $< --method chains --time-limit $(POSTERIOR_SECONDS) --seed 1 -q -o $(out).txt
$(R)/posterior/%.difference.csv: $(R)/posterior/%.chains.csv $(R)/posterior/%.exact.csv
	$(measure) --set name=Voting --set n=$* --set method=difference --json mntools compare --format json \
	  $(R)/posterior/$*.chains.txt $(R)/posterior/$*.exact.txt
.PRECIOUS: $(R)/voting/%.csv $(R)/posterior/%.chains.csv $(R)/posterior/%.exact.csv
RECORDS := $(if $(call have,coarsen,Voting),$(POSTERIOR_SIZES:%=$(R)/posterior/%.difference.csv))
$(R)/posterior.md: $(RECORDS)
$(POSTERIOR_SIZES:%=$(R)/posterior/%.chains.csv) $(POSTERIOR_SIZES:%=$(R)/posterior/%.exact.csv): | $(R)/ready

# ---- speed beside the original Junctor, where ORIGINALS names the folder it was built in; the same score files ----

$(R)/originals/%.score: $(R)/voting/%.csv | $(R)/ready
	@mkdir -p $(@D); dmscore $< 10 --layout junctor -q -o $@
$(R)/originals/%.original.csv: $(R)/originals/%.score
	$(measure) --set name=Voting --set n=$* --set method=original $(ORIGINALS)/junctor $<
$(R)/originals/%.ours.csv: $(R)/originals/%.score
	$(measure) --set name=Voting --set n=$* --set method=ours --network $(out).txt junctor $< --threads 1 -q -o $(out).txt
originals := $(if $(wildcard $(ORIGINALS)/junctor),$(if $(call have,coarsen,Voting),$(ORIGINAL_SIZES)))
$(R)/originals.md: $(foreach one,original ours,$(originals:%=$(R)/originals/%.$(one).csv))
.PRECIOUS: $(R)/originals/%.score
