import { z } from 'zod'
import { ConfigStatus } from '../core/builds/agent.ts'

/** Agents choose their own uuid; it stands in paths and in the configuration. */
export const AgentUuid = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'is not an agent uuid')

/** It stands in the configuration, so nothing invisible may be in it. */
export const HostName = z
  .string()
  .max(255)
  .regex(/^\P{C}+$/u, 'is not a host name')

/** What an agent says about itself in every call that is about the agent, not about a job. */
export const AgentDescription = z.object({
  /** One run of the agent's process: tells two machines with one uuid apart. */
  instance: z.string().min(1).max(64),
  hostname: HostName,
  ipAddress: z.union([z.ipv4(), z.ipv6()]),
  /** The agent's working folder. */
  sandbox: z.string().min(1).max(1024),
  /** Like `Linux 6.1.0`. */
  operatingSystem: z.string().min(1).max(255),
  /** Bytes that the agent may still write in its working folder; null when it cannot tell. */
  freeSpace: z.int().nonnegative().nullable(),
  version: z.string().min(1).max(64),
})
export type AgentDescription = z.infer<typeof AgentDescription>

export const AutoRegistration = z.object({
  key: z.string().min(1).max(1024),
  resources: z.array(z.string().min(1).max(255)).max(100),
  environments: z.array(z.string().min(1).max(255)).max(100),
})
export type AutoRegistration = z.infer<typeof AutoRegistration>

/** `POST …/register`. */
export const RegisterRequest = AgentDescription.extend({
  uuid: AgentUuid,
  /**
   * A secret that the agent made with its uuid. The first registration binds it to the uuid;
   * later ones must repeat it, so that a lost answer does not lock the agent out.
   */
  claim: z.string().min(32).max(128),
  autoRegister: AutoRegistration.nullable(),
})
export type RegisterRequest = z.infer<typeof RegisterRequest>

export const RegisterReply = z.object({
  /** Goes into `Authorization: Bearer …` of every other call; the server keeps only its hash. */
  token: z.string().min(16).max(512),
  configStatus: ConfigStatus,
})
export type RegisterReply = z.infer<typeof RegisterReply>
