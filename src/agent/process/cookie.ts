import { createHash } from 'node:crypto'

/** The variable that marks every process of a job, also those that leave its process group. */
export const COOKIE_VARIABLE = 'CAIRN_COOKIE'

/** Marks the processes of one agent's jobs: of any run of that agent, or of this run only. */
export interface Cookie {
  /** Common to all runs of the agent in this folder. */
  readonly agent: string
  /** Of this run alone. */
  readonly instance: string
}

/** The folder is part of it, so that a copied folder on the same machine is another agent. */
export function cookieOf(agent: { uuid: string; folder: string; instance: string }): Cookie {
  const digest = createHash('sha256').update(`${agent.uuid}\n${agent.folder}`).digest('hex')
  const name = `agent-${digest.slice(0, 24)}/`
  return { agent: name, instance: `${name}${agent.instance}/` }
}

/** The mark is added to one already there: an agent may run inside another agent's job. */
export function withMark(
  environment: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  const before = environment[COOKIE_VARIABLE]
  return { ...environment, [COOKIE_VARIABLE]: before === undefined ? mark : `${before};${mark}` }
}
