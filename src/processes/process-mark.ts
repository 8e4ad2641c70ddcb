import { createHash } from 'node:crypto'

/** The variable that marks every process started by another one, even if it leaves its group. */
export const MARK_VARIABLE = 'CAIRN_MARK'

/** Marks the processes of one agent's jobs: of any run of that agent, or of this run only. */
export interface ProcessMark {
  /** Common to all runs of the agent in this folder. */
  readonly agent: string
  /** Unique to this run. */
  readonly instance: string
}

/** The folder is part of it, so that a copied folder on the same machine is another agent. */
export function markOf(agent: { uuid: string; folder: string; instance: string }): ProcessMark {
  const digest = createHash('sha256').update(`${agent.uuid}\n${agent.folder}`).digest('hex')
  const name = `agent-${digest.slice(0, 24)}/`
  return { agent: name, instance: `${name}${agent.instance}/` }
}

/** Appends the mark to an existing one: an agent may run inside another agent's job. */
export function withMark(
  environment: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  const before = environment[MARK_VARIABLE]
  return { ...environment, [MARK_VARIABLE]: before === undefined ? mark : `${before};${mark}` }
}
