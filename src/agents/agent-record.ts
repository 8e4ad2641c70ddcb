import { z } from 'zod'
import type { DocumentKind } from '../core/document-kind.ts'

/** An agent's own description. */
export const AgentFacts = z.object({
  hostname: z.string(),
  ipAddress: z.string(),
  /** Its working folder. */
  sandbox: z.string(),
  operatingSystem: z.string(),
  /** In bytes, or null when the agent cannot determine it. */
  freeSpace: z.number().nullable(),
  version: z.string(),
})
export type AgentFacts = z.infer<typeof AgentFacts>

/** The stored facts of a registered agent: hashes of its secrets, never the secrets. */
export const AgentRecord = z.object({
  uuid: z.string(),
  claimHash: z.string(),
  tokenHash: z.string(),
  /**
   * Whether an administrator or the key approved this machine; absent in records of earlier
   * versions.
   */
  approved: z.boolean().exactOptional(),
  facts: AgentFacts,
  /** Milliseconds since the UNIX epoch; written at most once a minute. */
  lastContact: z.number(),
})
export type AgentRecord = Readonly<z.infer<typeof AgentRecord>>

export const AGENTS: DocumentKind<AgentRecord> = { name: 'agent', schema: AgentRecord }
