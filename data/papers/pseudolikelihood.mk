# Marginal pseudo-likelihood: Pensar, Nyman, Niiranen, Corander (2014); ess 1 unless said otherwise.
#
# A sample is named by its network (64 to 512 synthetic variables, a Bayesian network, a small graph) and a number; its
# first rows are the smaller samples, as rows/NETWORK-ROWS-NUMBER. Samples are deleted after their use; the same seeds
# make them again.

MAX_ROWS := $(lastword $(ROWS))
# of sample $* the distribution: several samples share one, as in the paper
distribution = $$((($* - 1) / $(SAMPLES_PER_NETWORK) + 1))

define synthetic
$(R)/samples/$(1)-%.csv: | $(R)/ready
	@mkdir -p $$(@D); mnmodel sample -q --replicas $(shell expr $(1) / 64) --rows $(MAX_ROWS) --seed $$* \
	  --network-seed $$(distribution) --edges $$(out).edges -o $$@
endef
define small
$(R)/samples/$(1)-%.csv: | $(R)/ready
	@mkdir -p $$(@D); mnmodel sample -q --components $(1) --rows $(MAX_ROWS) --seed $$* \
	  --network-seed $$(distribution) --edges $$(out).edges -o $$@
endef
define bayesian
$(R)/samples/$(1)-%.csv: $(DATA)/mplearn/$(1).bif | $(R)/ready
	@mkdir -p $$(@D); mnmodel sample -q $$< --rows $(MAX_ROWS) --seed $$* --edges $$(out).edges -o $$@
endef
define first_rows
$(R)/rows/$(1)-$(2)-%.csv: $(R)/samples/$(1)-%.csv
	@mkdir -p $$(@D); head -n $(shell expr $(2) + 1) $$< > $$@.tmp && mv $$@.tmp $$@
endef

SIZES := 64 128 256 512
SMALL := figure1a figure1b figure1c
BAYESIAN := alarm insurance hailfinder barley
$(foreach size,$(SIZES),$(eval $(call synthetic,$(size))))
$(foreach graph,$(SMALL),$(eval $(call small,$(graph))))
$(foreach name,$(BAYESIAN),$(eval $(call bayesian,$(name))))
$(foreach name,$(SIZES) $(SMALL) $(BAYESIAN),$(foreach rows,$(ROWS),$(eval $(call first_rows,$(name),$(rows)))))

# cmi at thresholds in bits; l1lr at weights near what the paper's Table 8 says is picked
bits_to_nats = $(shell echo $(1) | awk '{ for (i = 1; i <= NF; i++) printf "%s%.6g", (i > 1 ? "," : ""), $$i * log(2) }')
WEIGHTS := 4 6 8 12 16 24 32 48 64 96 128 192 256 384 512 768 1024
near = $(shell echo $(WEIGHTS) | awk '{ m = 0.75 * sqrt($(1)); for (i = 1; i <= NF; i++) if ($$i > m / $(WEIGHTS_WITHIN) && \
  $$i < m * $(WEIGHTS_WITHIN)) { printf "%s%s", s, $$i; s = "," } }')
SYNTHETIC_THRESHOLDS := $(call bits_to_nats,$(SYNTHETIC_BITS))
BAYESIAN_THRESHOLDS := $(call bits_to_nats,$(BAYESIAN_BITS))

# Tables 4 to 7: of a network, rows and a method: times to folder $(4), errors to $(5); the key is $(6)
define learned
$(R)/$(4)/$(1)-$(2)-%.$(3).csv: $(R)/rows/$(1)-$(2)-%.csv
	$$(measure) --set $(6)=$(1) --set rows=$(2) --set sample=$$* --set method=$(3) \
	  $(if $(8),,--network $$(out).edges --trace $$(out).trace) \
	  mplearn $$< $(7) --threads 1 -q $(if $(8),,--trace $$(out).trace) -o '$$(out)$(8).edges'
$(R)/$(5)/$(1)-$(2)-%.$(3).csv: $(R)/$(4)/$(1)-$(2)-%.$(3).csv
	$$(measure) --set $(6)=$(1) --set rows=$(2) --set sample=$$* --set method=$(3) --json mntools compare --format json \
	  $(if $(8),$(R)/$(4)/$(1)-$(2)-$$*.$(3).*.edges,$(R)/$(4)/$(1)-$(2)-$$*.$(3).edges) \
	  $(R)/samples/$(1)-$$*.edges
.PRECIOUS: $(R)/$(4)/$(1)-$(2)-%.$(3).csv
endef
# of a network and rows, all methods
define methods
$(eval $(call learned,$(1),$(2),MPL,$(3),$(4),$(5),,))
$(eval $(call learned,$(1),$(2),PIC,$(3),$(4),$(5),--score pic,))
$(foreach rule,and or,\
$(eval $(call learned,$(1),$(2),CMI-$(rule),$(3),$(4),$(5),--score cmi --combine $(rule) --threshold $(6),.{}))\
$(eval $(call learned,$(1),$(2),L1LR-$(rule),$(3),$(4),$(5),--score l1lr --combine $(rule) --lambda $(call near,$(2)),.{})))
endef
$(foreach d,$(SIZES),$(foreach rows,$(ROWS),\
  $(eval $(call methods,$(d),$(rows),mpl-table5,mpl-table4,d,$(SYNTHETIC_THRESHOLDS)))))
$(foreach name,$(BAYESIAN),$(foreach rows,$(ROWS),\
  $(eval $(call methods,$(name),$(rows),mpl-table7,mpl-table6a,network,$(BAYESIAN_THRESHOLDS)))))

# $(call cases,NETWORK,ROWS...,SAMPLES...)
cases = $(foreach rows,$(2),$(foreach sample,$(3),$(1)-$(rows)-$(sample)))
of_sizes = $(foreach d,$(1),$(call cases,$(d),$(ROWS_$(d)),$(SAMPLES_$(d))))
LASSO_CASES := $(foreach d,$(LASSO_SIZES),$(call cases,$(d),$(LASSO_ROWS),$(SAMPLES_$(d))))
errors_of = $(foreach method,$(2),$(3:%=$(R)/$(1)/%.$(method).csv))
RECORDS := $(call errors_of,mpl-table4,MPL PIC,$(call of_sizes,$(SIZES))) \
  $(call errors_of,mpl-table4,CMI-and CMI-or,$(call of_sizes,$(CMI_SIZES))) \
  $(call errors_of,mpl-table4,L1LR-and L1LR-or,$(LASSO_CASES))
$(R)/mpl-table4.md $(R)/mpl-figure6.png $(R)/mpl-table5.md: $(RECORDS)
BAYESIAN_THERE := $(foreach name,$(BAYESIAN),$(if $(wildcard $(DATA)/mplearn/$(name).bif),$(name)))
RECORDS := $(foreach name,$(BAYESIAN_THERE),\
  $(call errors_of,mpl-table6a,MPL PIC CMI-and CMI-or,$(call cases,$(name),$(ROWS_$(name)),$(SAMPLES_BAYESIAN))))
$(R)/mpl-table6a.md $(R)/mpl-figure7.png $(R)/mpl-table7.md: $(RECORDS)

# Table 3 and Figure 5: the best graph of the eligible edges, its errors, and its distance from that of hill climbing
define exact
$(R)/mpl-table3/$(1)-$(2)-%.PBO.csv: $(R)/rows/$(1)-$(2)-%.csv
	$$(measure) --set d=$(1) --set rows=$(2) --set sample=$$* --set method=PBO --network $$(out).edges \
	  --trace $$(out).trace --allow-exit 1 \
	  mplearn $$< --combine pbo --pbo-time-limit $(PBO_SECONDS) --threads 1 -q --trace $$(out).trace -o $$(out).edges
$(R)/mpl-table3/$(1)-$(2)-%.errors.csv: $(R)/mpl-table3/$(1)-$(2)-%.PBO.csv
	@if test -e $(R)/mpl-table3/$(1)-$(2)-$$*.PBO.edges; then $(PAPERS) measure -q --set d=$(1) --set rows=$(2) \
	  --set sample=$$* --set method='PBO errors' --json -o $$@ mntools compare --format json \
	  $(R)/mpl-table3/$(1)-$(2)-$$*.PBO.edges $(R)/samples/$(1)-$$*.edges; else printf 'd,rows\n' > $$@; fi
$(R)/mpl-table3/$(1)-$(2)-%.apart.csv: $(R)/mpl-table3/$(1)-$(2)-%.PBO.csv $(R)/mpl-table5/$(1)-$(2)-%.MPL.csv
	@if test -e $(R)/mpl-table3/$(1)-$(2)-$$*.PBO.edges; then $(PAPERS) measure -q --set d=$(1) --set rows=$(2) \
	  --set sample=$$* --set method=apart --json -o $$@ mntools compare --format json \
	  $(R)/mpl-table5/$(1)-$(2)-$$*.MPL.edges $(R)/mpl-table3/$(1)-$(2)-$$*.PBO.edges; else printf 'd,rows\n' > $$@; fi
.PRECIOUS: $(R)/mpl-table3/$(1)-$(2)-%.PBO.csv
endef
$(foreach d,$(SIZES),$(foreach rows,$(ROWS),$(eval $(call exact,$(d),$(rows)))))
EXACT_CASES := $(foreach d,$(PBO_SIZES),$(call cases,$(d),$(PBO_ROWS),$(SAMPLES_$(d))))
RECORDS := $(foreach one,PBO errors apart,$(EXACT_CASES:%=$(R)/mpl-table3/%.$(one).csv))
$(R)/mpl-table3.md $(R)/mpl-figure5a.png $(R)/mpl-figure5b.png: $(RECORDS) $(EXACT_CASES:%=$(R)/mpl-table4/%.MPL.csv)

# Table 6(b) and Figure 8: the equivalent sample size
define sizes
$(R)/mpl-table6b/$(1)-$(2)-%.csv: $(R)/rows/alarm-$(2)-%.csv
	@mkdir -p $$(@D); mplearn $$< --ess $(1) --threads 1 -q -o $$(out).edges
	$$(measure) --set ess=$(1) --set rows=$(2) --set sample=$$* --json mntools compare --format json \
	  $$(out).edges $(R)/samples/alarm-$$*.edges
endef
ESS := 1 4 8 16 32 64 128 256
$(foreach ess,$(ESS),$(foreach rows,$(ROWS),$(eval $(call sizes,$(ess),$(rows)))))
RECORDS := $(if $(filter alarm,$(BAYESIAN_THERE)),\
  $(foreach ess,$(ESS_RUN),$(foreach one,$(call cases,$(ess),$(ROWS_ESS),$(SAMPLES_ESS)),$(R)/mpl-table6b/$(one).csv)))
$(R)/mpl-table6b.md $(R)/mpl-figure8.png: $(RECORDS)

# Figures 2 and 3: all graphs of six variables, ranked by both scores, from the scores of all sets of variables
define ranked
$(R)/mpl-figure3/$(1)-$(2)-%.csv: $(R)/rows/$(1)-$(2)-%.csv $(HERE)/rank_graphs.py
	@mkdir -p $$(@D); dmscore $$< 1 --layout junctor --threads 1 -q -o $$(out).score
	$$(measure) --set graph=$(1) --set rows=$(2) --set sample=$$* --json \
	  $(PAPERS).rank_graphs $$(out).score $(R)/samples/$(1)-$$*.edges
endef
$(foreach graph,$(SMALL),$(foreach rows,$(ROWS),$(eval $(call ranked,$(graph),$(rows)))))
RECORDS := $(foreach graph,$(SMALL),$(foreach one,$(call cases,$(graph),$(ROWS_SMALL),$(SAMPLES_SMALL)),$(R)/mpl-figure3/$(one).csv))
$(R)/mpl-figure2a.png $(R)/mpl-figure2b.png $(R)/mpl-figure3.png: $(RECORDS)
