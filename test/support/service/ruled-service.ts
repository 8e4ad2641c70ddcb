import { delegate } from './delegated-service.ts'
import { DELEGATED } from './delegated-changes.ts'
import { save } from './saving.ts'
import type { CalledService } from './service.ts'

export const RULES_PATH = '/api/admin/rules.yaml'
const ANY = { 'if-match': '*' }

/** The delegated document with a second administrator of the server. */
export const TWO_ADMINISTRATORS = DELEGATED.replace(
  '<user>root</user>\n      </admins>\n    </security>',
  '<user>root</user>\n        <user>admin</user>\n      </admins>\n    </security>',
)

/** The administrators of the group `mine` ask each other, and root may pass. */
export const TWO_EYES = `version: 1
rules:
  - name: two-eyes
    match: { entity: [group/mine, pipeline in group/mine] }
    need: [{ approvals: 1, of: admins of the group }]
    not: [author]
    override: { by: user/root, reason: required }
`

/** Every change needs a reason. */
export const REASONED = 'version: 1\nrules: [{ name: why, need: [{ reason: required }] }]\n'

/** Gives a service the people and the document of the delegated changes, two administrators, and rules. */
export async function rule<Service extends CalledService>(
  service: Service,
  rules = TWO_EYES,
): Promise<Service> {
  await delegate(service)
  const root = 'root:p'
  await save(service, TWO_ADMINISTRATORS, root)
  const saved = await putRules(service, rules, root)
  if (saved.status !== 200) throw new Error(await saved.text())
  return service
}

export function putRules(
  service: Pick<CalledService, 'fetch'>,
  body: string,
  as = 'root:p',
): Promise<Response> {
  const isFirst = service.fetch(RULES_PATH, { as }).then(({ status }) => status === 404)
  return isFirst.then((first) =>
    service.fetch(RULES_PATH, {
      method: 'PUT',
      body,
      headers: first ? { 'if-none-match': '*' } : ANY,
      as,
    }),
  )
}

/** Saves a document that the rule two-eyes holds up, by an override of root. */
export function saveByOverride(
  service: Pick<CalledService, 'fetch'>,
  body: string,
  rules = 'two-eyes',
): Promise<Response> {
  const headers = { ...ANY, 'x-cairn-override': rules, 'x-cairn-message': 'outage' }
  return service.fetch('/api/admin/config.xml', { method: 'PUT', body, headers, as: 'root:p' })
}
