"""Configurations that are right; each test changes one thing."""

FAIRNESS = """\
fairness:
  name: loan-decided
  cases: decided.csv
  label: label
  prediction: prediction
  attributes:
    sex: [female, male]
    age_band: [under_30, 30_to_60, over_60]
  intersections:
    - [sex, age_band]
  rules:
    - {id: fnr-by-sex, rate: false_negative, attribute: sex, max_group_gap: 0.05}
    - {id: fnr-crossed, rate: false_negative, attribute: [sex, age_band], max_group_gap: 0.10}
    - {id: floor, rate: selection, attribute: sex, worst_group: {min: 0.4}}
"""

SWAP = """\
version: 1
name: loan-assistant
confidence: 0.95
systems:
  loan:
    type: chat
    model: {type: openai, model: qwen2.5, base_url: "http://vllm:8000/v1", api_key_env: VLLM_KEY, family: qwen}
    messages:
      - {role: system, file: prompts/loan.md}
      - {turns: history}
      - {role: user, file: prompts/application.j2}
    params: {temperature: 0.2}
swap:
  - name: loan-screen
    system: loan
    cases: golden/loan.jsonl
    axes:
      gender:
        male:   [{ten: Hùng, gioi_tinh: nam}, {ten: Quân, gioi_tinh: nam}]
        female: [{ten: Lan, gioi_tinh: nữ},   {ten: Hà, gioi_tinh: nữ}]
      region:
        ha_noi:    {que_quan: Hà Nội}
        soc_trang: {que_quan: Sóc Trăng}
    outcome: {positive: [DUYỆT], negative: [XEM LẠI]}
    must_respond_to:
      - {thu_nhap: 4000000}
    rules:
      - {id: flips, max_flip_rate: 0.05, decided_by: Credit compliance, why: "policy 12, 2026-10"}
      - {id: region-floor, rate: selection, attribute: region, worst_group: {min: 0.40}}
"""

DECISIONS = """\
swap:
  name: discrim
  decisions: runs.csv
  base: base_id
  axes: {race: [white, black], gender: [male, female]}
  outcome: {column: decision, positive: ["1"], negative: ["0"]}
  expected: {cases: 65}
  rules:
    - {id: flips, max_flip_rate: 0.05}
"""

SYSTEMS = """\
systems:
  service: {type: http, url: "https://app:8080/ask", method: PUT, headers: {X-Team: risk}, api_key_env: APP_KEY,
    body: {q: "{{ text }}", n: 3}, answer: data.answer}
  script: {type: command, command: [python3, decide.py], concurrency: 1, timeout_s: 2.5, retries: 0}
  function: {type: python, callable: "screening.rules:decide"}
  replay: {type: recorded, answers: answers.jsonl}
"""

RAG = """\
systems:
  support: {type: http, url: "http://app:8080/ask", body: {q: "{{ user_query }}"},
    answer: answer, contexts: "chunks[].text"}
judges:
  fast: {type: openai, model: llama, base_url: "http://vllm:8001/v1", family: llama}
  a: {type: openai, model: gpt, api_key_env: OPENAI_KEY, family: gpt}
  b: {type: anthropic, model: claude, api_key_env: ANTHROPIC_KEY, family: claude}
  words: {type: lexical}
embeddings: {type: local}
rag:
  name: support-bot
  cases: golden/rag.jsonl
  fields: {user_query: question}
  system: support
  judge: fast
  panel: [a, b, fast]
  band: 0.02
  arbitrate: pivotal
  min_coverage: 0.8
  rules:
    - {id: faithful, metric: faithfulness, min: 0.85}
    - {id: precise, metric: context_precision, min: 0.80, require: pass_rate, pass_rate: 0.9}
    - {id: relevant, metric: answer_relevance, min: 0.90, require: mean, why: measured}
"""

ALL = {"fairness": FAIRNESS, "swap": SWAP, "decisions": DECISIONS, "systems": SYSTEMS, "rag": RAG}
