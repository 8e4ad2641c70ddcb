import { CallingAgent } from '../agents/agent-calls.ts'
import type { CalledService } from '../service/service.ts'

/** With which agents register themselves. */
export const KEY = 'let-me-in'

/** The facts that a joining agent sends. */
export type Wishes = {
  readonly resources?: string[]
  readonly facts?: Partial<CallingAgent['facts']>
}

export async function joined(service: CalledService, { resources = [], facts = {} }: Wishes = {}) {
  const agent = new CallingAgent(service)
  agent.facts = { ...agent.facts, ...facts }
  await agent.register({ key: KEY, resources, environments: [] })
  return agent
}

export async function html(service: Pick<CalledService, 'fetch'>, path: string): Promise<string> {
  return (await service.fetch(path)).text()
}

/** Sends a form, in which a name may occur several times. */
export function post(
  service: Pick<CalledService, 'fetch'>,
  path: string,
  fields: readonly (readonly [string, string])[],
  as?: string,
): Promise<Response> {
  const body = new URLSearchParams()
  for (const [name, value] of fields) body.append(name, value)
  return service.fetch(path, { method: 'POST', body, ...(as === undefined ? {} : { as }) })
}
