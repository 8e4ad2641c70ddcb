import { z } from 'zod'
import { AGENT_STATUSES } from '../core/agent.ts'

/** An element of the agent list, with the names and formats that clients read. */
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
  /** The original's names of `buildLocator` and `ipAddress`, when asked for. */
  build_locator: z.string().optional(),
  ip_address: z.string().optional(),
})
export type AgentEntry = z.infer<typeof AgentEntry>
