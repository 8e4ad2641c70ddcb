import { LRUCache } from 'lru-cache'
import { placedSecurityFacts } from '../../../configuration/access/security-facts-of.ts'
import { type Digest, digestOf } from '../../../core/digest.ts'
import { buildConfiguration } from '../../../document/model/model.ts'
import { ModelNode } from '../../../document/model/model-node.ts'
import { elementFinder } from '../../../document/xml/xml-elements.ts'
import { readXml } from '../../../document/xml/xml-reader.ts'
import { runSync } from '../../../lib/cooperative.ts'
import type { SecurityFacts } from '../../../security/security-facts.ts'

/** The facts of recently requested documents. */
const kept = new LRUCache<Digest, { readonly facts: SecurityFacts | null }>({ max: 4 })

/** The permissions by a document, with lines; null for one that is no configuration. */
export function readSecurity(document: Uint8Array): SecurityFacts | null {
  const digest = digestOf(document)
  const known = kept.get(digest) ?? { facts: read(document) }
  kept.set(digest, known)
  return known.facts
}

/** The rules of a configuration are not asked: a revision of the past may break those of today. */
function read(document: Uint8Array): SecurityFacts | null {
  const xml = runSync(readXml(document))
  if (!xml.ok) return null
  const building = buildConfiguration(new ModelNode(xml.root))
  if (!building.success) return null
  const elementAt = elementFinder(xml.root)
  return placedSecurityFacts(
    building.data,
    (at) => xml.lines.positionOf(elementAt(at).span.start).line,
  )
}
