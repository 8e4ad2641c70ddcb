import { z } from 'zod'
import type { DocumentKind } from '../core/document-kind.ts'

/** What an agent says about itself. */
export const AgentFacts = z.object({
  hostname: z.string(),
  ipAddress: z.string(),
  /** Its working folder. */
  sandbox: z.string(),
  operatingSystem: z.string(),
  /** Bytes, or null when it cannot tell. */
  freeSpace: z.number().nullable(),
  version: z.string(),
})
export type AgentFacts = z.infer<typeof AgentFacts>

/** What is kept of an agent that registered: hashes of its secrets, never the secrets. */
export const AgentRecord = z.object({
  uuid: z.string(),
  claimHash: z.string(),
  tokenHash: z.string(),
  /** Whether an administrator or the key let this machine in; absent in what earlier versions wrote. */
  approved: z.boolean().exactOptional(),
  facts: AgentFacts,
  /** Milliseconds since the UNIX epoch; written at most once a minute. */
  lastContact: z.number(),
})
export type AgentRecord = Readonly<z.infer<typeof AgentRecord>>

export const AGENTS: DocumentKind<AgentRecord> = { name: 'agent', schema: AgentRecord }
