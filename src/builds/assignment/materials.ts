import type { MaterialRevision, PipelineInstance } from '../engine/documents.ts'
import {
  isSource,
  materialFingerprint,
  type VersionControlMaterial,
} from '../../document/materials/identity.ts'
import type { DependencyMaterial, Material } from '../../document/model/model.ts'
import { SOURCE_ELEMENTS } from '../../document/schema/materials.ts'
import { splitHgAddress } from '../../core/source-address.ts'
import { inWords } from '../../core/problem.ts'
import { parseSvnRevision } from '../../core/svn-revision.ts'
import { AssignmentRefusal, type JobTexts } from './secrets.ts'
import { sentOf } from './sent-fields.ts'

export interface MaterialSources {
  readonly texts: JobTexts
  /** The label of a run of a pipeline, or its counter when the run is unknown. */
  readonly labelOf: (pipeline: string, counter: number) => Promise<string>
}

/**
 * The materials of a run at its revisions, with decrypted passwords.
 *
 * @throws {AssignmentRefusal} for a material without a revision in the run.
 */
export async function assignMaterials(
  { materials, run }: { readonly materials: readonly Material[]; readonly run: PipelineInstance },
  sources: MaterialSources,
) {
  const assigned = []
  for (const material of materials) {
    const { revision, fromRevision } = revisionOf(material, run)
    if (material.kind === 'dependency') {
      assigned.push(await dependencyOf(material, revision, sources))
    } else if (isSource(material)) {
      const span = { revision, fromRevision: fromRevision ?? revision }
      const source = await sourceOf(material, span, sources.texts)
      assertSendable(material, source)
      assigned.push(source)
    }
  }
  return assigned
}

function revisionOf(material: Material, run: PipelineInstance): MaterialRevision {
  if (material.kind === 'package' || material.kind === 'scm') {
    throw new AssignmentRefusal(`The material ${material.ref} needs a plugin, and there are none`)
  }
  if (material.kind === 'unknown') {
    throw new AssignmentRefusal(`The material ${material.element} is of no known kind`)
  }
  const fingerprint = materialFingerprint(material)
  const found = run.revisions.find((revision) => revision.fingerprint === fingerprint)
  if (found) return found
  const reason = `has no revision of the material ${describe(material)}; run the pipeline again`
  throw new AssignmentRefusal(`The run ${run.counter} of the pipeline ${run.name} ${reason}`)
}

async function dependencyOf(
  { name, pipeline, stage }: DependencyMaterial,
  revision: string,
  { labelOf }: MaterialSources,
) {
  const [, counter = ''] = revision.split('/')
  const label = await labelOf(pipeline, Number(counter))
  return {
    type: 'pipeline' as const,
    name,
    pipelineName: pipeline,
    stageName: stage,
    revision,
    label,
  }
}

async function sourceOf(
  material: VersionControlMaterial,
  span: { readonly revision: string; readonly fromRevision: string },
  texts: JobTexts,
) {
  const of = `of the material ${describe(material)}`
  const password = await texts.open(
    { plain: material.password, sealed: material.encryptedPassword },
    `The password ${of}`,
  )
  const { name, dest } = material
  const username = await texts.fillOptional(material.username, `The user ${of}`)
  const common = { name, dest: dest === '' ? null : dest, ...span }
  switch (material.kind) {
    case 'git': {
      const url = withCredentials(await addressOf(material, texts), { username, password })
      return {
        type: 'git' as const,
        ...common,
        ...sentOf(SOURCE_ELEMENTS.git.sent, { ...material, url }),
      }
    }
    case 'hg': {
      // An agent needs the revision alone, and a branch behind the address would be part of it.
      const { url: bare } = splitHgAddress(await addressOf(material, texts))
      const url = withCredentials(bare, { username, password })
      return { type: 'hg' as const, ...common, ...sentOf(SOURCE_ELEMENTS.hg.sent, { url }) }
    }
    case 'svn': {
      const url = await addressOf(material, texts)
      const own = { revision: ownOf(span.revision), fromRevision: ownOf(span.fromRevision) }
      const sent = sentOf(SOURCE_ELEMENTS.svn.sent, { ...material, url, username, password })
      return { type: 'svn' as const, ...common, ...own, ...sent }
    }
    case 'p4': {
      const opened = { ...material, url: material.port, username, password }
      const sent = sentOf(SOURCE_ELEMENTS.p4.sent, opened)
      return { type: 'p4' as const, ...common, ...sent }
    }
    case 'tfs': {
      const url = await addressOf(material, texts)
      const opened = { ...material, url, username: username ?? '', password }
      return { type: 'tfs' as const, ...common, ...sentOf(SOURCE_ELEMENTS.tfs.sent, opened) }
    }
  }
}

/** The client checks externals out at their newest revisions. */
function ownOf(revision: string): string {
  return `${parseSvnRevision(revision)?.own ?? revision}`
}

function addressOf(
  material: Exclude<VersionControlMaterial, { kind: 'p4' }>,
  texts: JobTexts,
): Promise<string> {
  return texts.address(material.url, `The address of the material ${describe(material)}`)
}

/** @throws {AssignmentRefusal} for what no agent would take, such as a secret that is too long. */
function assertSendable(material: VersionControlMaterial, sent: object): void {
  const read = SOURCE_ELEMENTS[material.kind].sent.safeParse(sent, { error: inWords })
  const [issue] = read.error?.issues ?? []
  if (issue === undefined) return
  const of = `of the material ${describe(material)}`
  throw new AssignmentRefusal(
    `The ${issue.path.join('.')} ${of} cannot be sent to an agent: ${issue.message}`,
  )
}

/** Later versions of the configuration have the user and the password of a URL as attributes. */
function withCredentials(
  address: string,
  { username, password }: { readonly username: string | null; readonly password: string | null },
): string {
  const isWeb = /^https?:\/\//i.test(address) && URL.canParse(address)
  if (!isWeb || (username === null && password === null)) return address
  const url = new URL(address)
  if (username !== null) url.username = encodeURIComponent(username)
  if (password !== null) url.password = encodeURIComponent(password)
  return url.href
}

/** A name of the material for messages; never a URL, which may contain a password. */
function describe(material: VersionControlMaterial | DependencyMaterial): string {
  if (material.kind === 'dependency') return `${material.pipeline}/${material.stage}`
  return material.name ?? material.dest ?? material.kind
}
