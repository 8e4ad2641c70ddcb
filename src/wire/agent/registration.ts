import { z } from 'zod'
import { ConfigStatus } from '../../core/builds/agent.ts'

const NOT_UUID = 'is not an agent uuid'

/** Agents choose their own uuid; it is used in paths, where `.` and `..` would lead elsewhere, and in the configuration. */
export const AgentUuid = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, NOT_UUID)
  .refine((uuid) => uuid !== '.' && uuid !== '..', NOT_UUID)

/** A host name, which is written to the configuration and so has no invisible characters. */
export const HostName = z
  .string()
  .max(255)
  .regex(/^\P{C}+$/u, 'is not a host name')

/** An agent's own description, in every call that is about the agent and not about a job. */
export const AgentDescription = z.object({
  /** Identifies one process of the agent: two machines with one uuid differ in it. */
  instance: z.string().min(1).max(64),
  hostname: HostName,
  ipAddress: z.union([z.ipv4(), z.ipv6()]),
  /** The agent's working folder. */
  sandbox: z.string().min(1).max(1024),
  /** Such as `Linux 6.1.0`. */
  operatingSystem: z.string().min(1).max(255),
  /** The free bytes in its working folder; null when it cannot determine them. */
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
   * A secret that the agent generated with its uuid. The first registration binds it to the uuid;
   * later ones must repeat it, so that a lost answer does not lock the agent out.
   */
  claim: z.string().min(32).max(128),
  autoRegister: AutoRegistration.nullable(),
})
export type RegisterRequest = z.infer<typeof RegisterRequest>

/** From an answer to the next contact, in milliseconds; `CONTACT_INTERVAL_MS` where it is absent. */
export const ContactInterval = z.int().positive()

export const RegisterReply = z.object({
  /** For `Authorization: Bearer …` in every other call; the server stores only its hash. */
  token: z.string().min(16).max(512),
  configStatus: ConfigStatus,
  contactIntervalMs: ContactInterval.exactOptional(),
})
export type RegisterReply = z.infer<typeof RegisterReply>
