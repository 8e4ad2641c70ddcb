import { SAMPLE } from '../../../src/api/definition/sample.ts'
import { documentWith } from '../documents/documents.ts'

/** Users of the configuration below; `nobody` calls without credentials. */
export const ROLES = [
  'root',
  'owner',
  'operator',
  'viewer',
  'approver',
  'stranger',
  'nobody',
] as const
export type Role = (typeof ROLES)[number]

/** The callers of each level, in the words of the configuration. */
export const LEVELS = {
  anybody: ROLES,
  user: ['root', 'owner', 'operator', 'viewer', 'approver', 'stranger'],
  administrator: ['root'],
  'group administrator': ['root', 'owner'],
  viewer: ['root', 'owner', 'viewer'],
  operator: ['root', 'owner', 'operator', 'approver'],
  approver: ['root', 'owner', 'approver'],
} as const satisfies Record<string, readonly Role[]>
export type Level = keyof typeof LEVELS

const SECURITY = `  <server artifactsdir="artifacts">
    <security>
      <passwordFile path="/users" />
      <admins><user>root</user></admins>
    </security>
  </server>
`
const AUTHORIZATION = `    <authorization>
      <view><user>viewer</user></view>
      <operate><user>operator</user><user>approver</user></operate>
      <admins><user>owner</user></admins>
    </authorization>
`
const APPROVAL = `        <approval type="manual">
          <authorization><user>approver</user></authorization>
        </approval>
`

/** The pipeline of the examples in a group with every kind of authorization; its stage has approvers. */
export function securedDocument(): string {
  return documentWith(SAMPLE.pipeline)
    .replace(`https://example.org/${SAMPLE.pipeline}.git`, '/nowhere')
    .replace('"unit"', `"${SAMPLE.job}"`)
    .replace('"test"', `"${SAMPLE.stage}"`)
    .replace('<cruise schemaVersion="75">\n', (root) => root + SECURITY)
    .replace('<pipelines group="first">\n', (group) => group + AUTHORIZATION)
    .replace(`<stage name="${SAMPLE.stage}">\n`, (stage) => stage + APPROVAL)
}
