import type { Problem } from '../core/problem.ts'
import { Findings } from './structure/findings.ts'
import { buildConfiguration, type Configuration } from './model/model.ts'
import { ModelNode } from './model/model-node.ts'
import { checkRules } from './rules/rules.ts'
import { plainSecrets } from './secrets/plain-secrets.ts'
import { checkStructure } from './structure/structure.ts'
import { elementFinder } from './xml/xml-elements.ts'
import { readXml, type XmlDocument } from './xml/xml-reader.ts'
import { runSync } from '../lib/cooperative.ts'

/** The content of a valid document. */
export interface ReadConfiguration {
  readonly schemaVersion: number
  readonly configuration: Configuration
  /** Whether it contains a plain secret. */
  readonly hasPlainSecrets: boolean
}

/** A document that is a valid configuration, in every form that something needs it in. */
export interface ConfigDocument extends XmlDocument, ReadConfiguration {
  readonly bytes: Uint8Array<ArrayBuffer>
}

export type DocumentReading =
  | { readonly ok: true; readonly document: ConfigDocument }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/**
 * Reads a document, or reports every fault in it. Faults of the structure and of the rules are
 * reported together, if the values allow to build the model.
 */
export function readDocument(bytes: Uint8Array<ArrayBuffer>): DocumentReading {
  const reading = runSync(readXml(bytes))
  if (!reading.ok) return reading
  const structure = checkStructure(reading)
  const building = buildConfiguration(new ModelNode(reading.root))
  if (!building.success) {
    return { ok: false, problems: [...structure, ...unbuilt(structure, building.error.issues)] }
  }
  const configuration = building.data
  const places = new Set(structure.map(placeOf))
  const rules = ruleProblems(configuration, reading).filter((each) => !places.has(placeOf(each)))
  const problems = inOrder([...structure, ...rules])
  if (problems.length > 0) return { ok: false, problems }
  const { text, source, root, lines } = reading
  const { schemaVersion } = configuration
  const hasPlainSecrets = plainSecrets(root).length > 0
  const content = { bytes, schemaVersion, configuration, hasPlainSecrets }
  return { ok: true, document: { text, source, root, lines, ...content } }
}

/** The structure normally explains why no model can be built; otherwise the model does. */
function unbuilt(
  structure: readonly Problem[],
  issues: readonly { readonly message: string; readonly path: readonly PropertyKey[] }[],
): Problem[] {
  if (structure.length > 0) return []
  return issues.map(({ message, path }) => ({ message, path: path.join('.') }))
}

function ruleProblems(configuration: Configuration, document: XmlDocument): readonly Problem[] {
  const findings = new Findings(document)
  const elementAt = elementFinder(document.root)
  for (const { at, message } of runSync(checkRules(configuration))) {
    findings.add(elementAt(at), message)
  }
  return findings.problems()
}

/** Problems of the structure of an element come before those of the rules. */
function placeOf({ line, column }: Problem): string {
  return `${line}:${column}`
}

/** Problems without a place come last. */
function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted(
    (one, other) =>
      (one.line ?? Number.MAX_VALUE) - (other.line ?? Number.MAX_VALUE) ||
      (one.column ?? 0) - (other.column ?? 0),
  )
}
