import { z } from 'zod'
import { AGENT_STATUSES, ConfigStatus } from '../core/builds/agent.ts'
import { SAMPLE_NAMES } from '../core/sample-names.ts'
import { HostName } from './agent/registration.ts'

/** An element of the agent list, with the field names and formats of the interface. */
export const AgentEntry = z.object({
  uuid: z.string().meta({ example: SAMPLE_NAMES.agent }),
  /** `pipeline/counter/stage/counter/job` while building, else empty. */
  buildLocator: z.string().meta({ example: SAMPLE_NAMES.locator }),
  agent_name: z.string().meta({ example: 'builder-1' }),
  ipAddress: z.string().meta({ example: '192.0.2.7' }),
  status: z.enum(AGENT_STATUSES).meta({ example: 'Building' }),
  sandbox: z.string().meta({ example: '/var/lib/cairn-agent' }),
  os: z.string().meta({ example: 'Linux 6.1.0' }),
  /** Text such as `12.3 GB`, or `Unknown`. */
  free_space: z.string().meta({ example: '12.3 GB' }),
  resources: z.array(z.string()).meta({ example: ['linux'] }),
  environments: z.array(z.string()).meta({ example: [] }),
  /** The decision about it; `Pending` also for an unapproved machine with a configured uuid. */
  config_status: ConfigStatus.meta({ example: 'Enabled' }),
  /** The address that its calls come from; null before the first contact. */
  remote_address: z.string().nullable().meta({ example: '192.0.2.7' }),
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
