import { z } from 'zod'
import { AGENT_STATUSES, ConfigStatus } from '../core/builds/agent.ts'
import { HostName } from './agent/registration.ts'

/** An element of the agent list, with the field names and formats of the interface. */
export const AgentEntry = z.object({
  uuid: z.string(),
  /** `pipeline/counter/stage/counter/job` while building, else empty. */
  buildLocator: z.string(),
  agent_name: z.string(),
  ipAddress: z.string(),
  status: z.enum(AGENT_STATUSES),
  sandbox: z.string(),
  os: z.string(),
  /** Text such as `12.3 GB`, or `Unknown`. */
  free_space: z.string(),
  resources: z.array(z.string()),
  environments: z.array(z.string()),
  /** The decision about it; `Pending` also for an unapproved machine with a configured uuid. */
  config_status: ConfigStatus,
  /** The address that its calls come from; null before the first contact. */
  remote_address: z.string().nullable(),
  /** The original server's names of `buildLocator` and `ipAddress`, on request. */
  build_locator: z.string().optional(),
  ip_address: z.string().optional(),
})
export type AgentEntry = z.infer<typeof AgentEntry>

/** Names, one by one or separated by commas. */
const Names = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',')))
  .transform((names) =>
    [...new Set(names.map((name) => name.trim()))].filter((name) => name !== ''),
  )

/** `PATCH /api/agents/[uuid]`: absent fields stay unchanged, and an empty list removes all. */
export const AgentChangesBody = z.strictObject({
  resources: Names.exactOptional(),
  environments: Names.exactOptional(),
  hostname: HostName.exactOptional(),
})
export type AgentChangesBody = z.infer<typeof AgentChangesBody>
