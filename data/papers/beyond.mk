# Beyond the papers: density estimation, edge probabilities, and speed beside the originals.

# ---- density estimation: test log-likelihood a row of the benchmark's splits (binary, no header) ----

define estimated
$(R)/debd/%.$(1).csv: $(DATA)/debd/%.train.csv $(DATA)/debd/%.test.csv | $(R)/ready
	@mkdir -p $$(@D); $(2) $$< --header no $(3) --threads 1 -q -o $$(out).net
	$$(measure) --set name=$$* --set method=$(1) --network $$(out).net --json \
	  mntools loglik $$< $$(out).net $(DATA)/debd/$$*.test.csv --header no $(4) --format json -q
endef
$(eval $(call estimated,tree,coarsen,--method forest --score ll,--ess 1))
$(eval $(call estimated,network,lsmarkov,--ess 10 --time-limit $(DEBD_SECONDS) --seed 1))
debd := $(foreach set,$(DEBD_SETS),$(if $(wildcard $(DATA)/debd/$(set).train.csv),$(set)))
$(R)/debd.md: $(foreach one,tree network,$(debd:%=$(R)/debd/%.$(one).csv))
