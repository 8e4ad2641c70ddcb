import { SAMPLE_NAMES } from '../../core/sample-names.ts'

/** Names and documents for examples. */
export const SAMPLE = {
  ...SAMPLE_NAMES,
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
