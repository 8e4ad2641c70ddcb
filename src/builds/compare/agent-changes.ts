import type { AgentTool } from '../../core/builds/job.ts'
import { nameKey } from '../../core/name-key.ts'
import type { RecordedAgent } from '../engine/documents.ts'

/** An agent of a job, as it was then; nothing is recorded of those of earlier versions. */
export interface AgentThen {
  readonly uuid: string
  readonly recorded: RecordedAgent | null
}

/** One difference between the agents of two runs of a job. */
export interface AgentChange {
  readonly kind: 'agent' | 'resources' | 'environments' | 'tool' | 'machine'
  /** The end of a sentence that begins with the agent. */
  readonly text: string
}

/** Another agent, or what has changed of the same one. */
export function agentChanges(from: AgentThen, to: AgentThen): readonly AgentChange[] {
  const isOther = from.uuid !== to.uuid
  const [before, after] = [from.recorded, to.recorded]
  if (before === null || after === null) {
    return isOther ? [{ kind: 'agent', text: `ran it in place of ${nameOf(from)}` }] : []
  }
  return [
    ...(isOther ? [{ kind: 'agent', text: `ran it in place of ${nameOf(from)}` } as const] : []),
    ...setChange('resources', { before: before.resources, after: after.resources }),
    ...setChange('environments', { before: before.environments, after: after.environments }),
    ...toolChanges(before.tools, after.tools, isOther),
    ...machineChange('operating system', before.operatingSystem, after.operatingSystem),
    ...machineChange('version of the agent', before.version, after.version),
    ...(isOther ? [] : machineChange('host name', before.hostname, after.hostname)),
  ]
}

function nameOf({ uuid, recorded }: AgentThen): string {
  return recorded?.hostname ?? uuid
}

function setChange(
  kind: 'resources' | 'environments',
  { before, after }: Record<'before' | 'after', readonly string[]>,
): AgentChange[] {
  const gone = without(before, after)
  const fresh = without(after, before)
  const parts = [
    ...(gone.length > 0 ? [`no longer ${gone.join(', ')}`] : []),
    ...(fresh.length > 0 ? [`now ${fresh.join(', ')}`] : []),
  ]
  return parts.length === 0 ? [] : [{ kind, text: `has other ${kind}: ${parts.join(', ')}` }]
}

function without(names: readonly string[], others: readonly string[]): readonly string[] {
  const keys = new Set(others.map(nameKey))
  return names.filter((name) => !keys.has(nameKey(name)))
}

/**
 * The programs that are not the same, among those that both jobs looked for. Those of two machines
 * have been installed at different times, so that only their places and sizes are compared.
 */
function toolChanges(
  before: readonly AgentTool[],
  after: readonly AgentTool[],
  isOther: boolean,
): AgentChange[] {
  const former = new Map(before.map((tool) => [tool.name, tool]))
  return after.flatMap((tool) => {
    const old = former.get(tool.name)
    if (!old || isSameTool(old, tool, isOther)) return []
    return [{ kind: 'tool', text: replacedTool(old, tool) }]
  })
}

function isSameTool(one: AgentTool, other: AgentTool, isOther: boolean): boolean {
  const isInPlace = one.path === other.path && one.size === other.size
  return isInPlace && (isOther || one.modifiedAt === other.modifiedAt)
}

function replacedTool(before: AgentTool, after: AgentTool): string {
  if (after.path === '') return `does not have the program ${after.name}`
  if (before.path === '') return `has the program ${after.name}: ${after.path}`
  const what = `has another program ${after.name}`
  if (before.path !== after.path) return `${what}: ${before.path} → ${after.path}`
  return `${what}: ${after.path} of ${dayOf(before)} → of ${dayOf(after)}`
}

function dayOf({ modifiedAt, size }: AgentTool): string {
  return `${new Date(modifiedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC (${size} bytes)`
}

function machineChange(what: string, before: string, after: string): AgentChange[] {
  if (before === after || before === '' || after === '') return []
  return [{ kind: 'machine', text: `has another ${what}: ${before} → ${after}` }]
}
