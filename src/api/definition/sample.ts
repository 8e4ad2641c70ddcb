/** Names for examples: the pipeline of the README's tour, and names that look like real ones. */
export const SAMPLE = {
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
  document: `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="75">
  <pipelines group="first">
    <pipeline name="hello">
      <materials>
        <git url="https://example.org/hello.git" />
      </materials>
      <stage name="defaultStage">
        <jobs>
          <job name="defaultJob" />
        </jobs>
      </stage>
    </pipeline>
  </pipelines>
</cruise>
`,
  /** From the revision before to this one. */
  diff: `@@ -12,4 +12,7 @@
       </stage>
     </pipeline>
   </pipelines>
+  <agents>
+    <agent hostname="builder-1" ipaddress="192.0.2.7" uuid="b9f1c5a2-3d7e-4f60-9a8b-0c1d2e3f4a5b" />
+  </agents>
 </cruise>
`,
} as const

/** As in the list of revisions. */
export const SAMPLE_REVISION = {
  md5: SAMPLE.digest,
  commitSHA: SAMPLE.commit,
  username: 'admin',
  serverEdition: 'OpenSource',
  time: SAMPLE.time,
  schemaVersion: 75,
  serverVersion: '0.1.0',
  message: 'A second agent for Linux',
} as const

/** The same with what lists say besides. */
export const SAMPLE_LISTED = {
  ...SAMPLE_REVISION,
  number: 2,
  subject: 'Register agent builder-1',
  tags: [],
} as const

/** A change of the pipeline that somebody proposes. */
export const SAMPLE_PROPOSED = {
  kind: 'pipeline',
  name: SAMPLE.pipeline,
  xml: `<pipeline name="hello" labeltemplate="r\${COUNT}">
      <materials>
        <git url="https://example.org/hello.git" />
      </materials>
      <stage name="defaultStage">
        <jobs>
          <job name="defaultJob" />
        </jobs>
      </stage>
    </pipeline>`,
} as const

/** As in the list of proposals. */
export const SAMPLE_PROPOSAL = {
  number: 7,
  title: 'Label builds of hello',
  message: '',
  author: 'ben',
  contributors: ['ben'],
  state: 'open',
  when: null,
  opened: SAMPLE.time,
  changed: SAMPLE.time,
  version: 1,
  entities: ['pipeline/hello'],
  held: null,
} as const

/** With its details. */
export const SAMPLE_PROPOSAL_DETAIL = {
  ...SAMPLE_PROPOSAL,
  base: SAMPLE.digest,
  result: SAMPLE.before.digest,
  versions: [
    { version: 1, commit: SAMPLE.change, base: SAMPLE.commit, by: 'ben', time: SAMPLE.time },
  ],
  changes: [],
  plan: null,
  verdict: {
    kind: 'needs',
    needs: [
      {
        rule: 'delegation',
        of: ['administrators of the server'],
        place: 'pipeline/hello',
        reason: 'The change reaches beyond what ben administers: pipeline hello',
      },
    ],
    warnings: [],
  },
  approval: 'cc6b1cf5ee1bd0a1c3b1ba4a3d5ee3f1e2f0dd0e8cbf3ce2b7a1d5ad0a7a9e31',
  approvals: [],
  comments: [],
  conflicts: [],
  problems: [],
} as const
