/** Names for examples: the pipeline of the README's tour, and names that look like real ones. */
export const SAMPLE_NAMES = {
  pipeline: 'hello',
  stage: 'defaultStage',
  job: 'defaultJob',
  /** The locator of that job in the first run. */
  locator: 'hello/1/defaultStage/1/defaultJob',
  group: 'first',
  agent: 'b9f1c5a2-3d7e-4f60-9a8b-0c1d2e3f4a5b',
  token: '4f1c90d27ab3e865',
  digest: 'aa4bac3cc0f229c640b9fb04168803da',
  commit: 'fd8f0fc5b698d4d484ec8cd1e9c142a1a02b7c03',
  /** The revision before. */
  before: {
    digest: '2a8e49dba6feaada81d155387caff7f4',
    commit: '644d9ebf38ff31b3da721a3873ec03ba56919637',
  },
  /** Of the pipeline's material. */
  change: '0de1689edcfd746885c3695bb29636db0ef57188',
  /** 2026-11-22, 13:44:38 UTC. */
  time: 1_795_355_078_080,
} as const
