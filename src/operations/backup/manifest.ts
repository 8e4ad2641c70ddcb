import { z } from 'zod'
import { Digest } from '../../core/digest.ts'
import { CommitSha } from '../../core/revision.ts'

/** The parts of a backup, as they are named in its archive, in the order in which they are copied. */
export const PARTS = {
  state: 'state.sqlite',
  bundle: 'config-repo.bundle',
  keys: 'secret.keys',
  users: 'users.htpasswd',
  webhooks: 'webhooks.json',
} as const
export const MANIFEST = 'manifest.json'
/** The folder of the archive that holds consoles and artifacts, when they were asked for. */
export const ARTIFACTS = 'artifacts'

const Part = z.strictObject({
  name: z.enum(PARTS),
  size: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

/** The description of an archive: its first entry. */
export const Manifest = z.object({
  format: z.literal('cairn backup 1'),
  /** The version of the program that wrote it. */
  serverVersion: z.string(),
  /** When it was begun, in milliseconds since the UNIX epoch. */
  time: z.int(),
  /** Null when no branch was checked out. */
  branch: z.string().nullable(),
  commit: CommitSha,
  /** The digest of the newest valid configuration. */
  digest: Digest,
  revisions: z.int(),
  fileName: z.string(),
  hasArtifacts: z.boolean(),
  parts: z.array(Part).readonly(),
})
export type Manifest = z.infer<typeof Manifest>
export type BackupPart = z.infer<typeof Part>
