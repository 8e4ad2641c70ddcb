import { nameKey } from '../../core/name-key.ts'
import type { Material } from '../model/model.ts'
import { quoting, shorten } from '../text/shown-text.ts'
import type { Finding } from '../model/finding.ts'
import { type OwnContext, type PipelineRule, materialNameOf } from './rule-context.ts'

const PIECE = "[a-zA-Z0-9_\\-.!~*'()#:]"
const FORM = new RegExp(`^${PIECE}*(?:[$#]\\{${PIECE}+(?:\\[:\\d+\\])?\\}${PIECE}*)+$`)
const STOP = /[}[]/g
const CUT = /\[:(\d+)\]\}/y

/**
 * PIP-5: a label has at least one `${name}`; names are `COUNT` and the
 * materials of the pipeline, and may be cut to some characters as `${name[:7]}`.
 */
export const label: PipelineRule = function* (pipeline, context): Generator<Finding> {
  const { at, name, label: template } = pipeline
  const subject = () => quoting`the label ${template} of the pipeline ${name}`
  const uses = variablesIn(template)
  if (context.replaced.has(at) && !hasForm(template, context)) {
    yield { at, message: `${subject()} is malformed` }
    return
  }
  const names = namesFor(pipeline.materials, context)
  for (const { variable, length } of uses) {
    if (!isKnown(variable, names, context)) {
      yield {
        at,
        message: `${subject()} uses "${shorten(variable)}", which is not one of its materials`,
      }
    }
    if (length === 0) {
      yield { at, message: `${subject()} shortens "${shorten(variable)}" to nothing` }
    }
  }
}

interface VariableUse {
  readonly variable: string
  /** To how many characters it is cut; null for all of them. */
  readonly length: number | null
}

/** Every `${name}` and `${name[:7]}` of a label, which is looked at once. */
function variablesIn(template: string): VariableUse[] {
  const found: VariableUse[] = []
  let start = template.indexOf('${')
  while (start >= 0) {
    STOP.lastIndex = start
    const stop = STOP.exec(template)?.index ?? null
    if (stop === null) return found
    CUT.lastIndex = stop
    const cut = CUT.exec(template)
    const variable = template.slice(start + '${'.length, stop)
    const isUse = variable !== '' && (cut !== null || template[stop] === '}')
    if (isUse) found.push({ variable, length: cut ? Number(cut[1]) : null })
    start = template.indexOf('${', stop + (cut?.[0].length ?? 1))
  }
  return found
}

/** Later versions take any text around the variables. */
function hasForm(template: string, { isLater }: OwnContext): boolean {
  return template.includes('${') && (isLater || FORM.test(template))
}

function isKnown(variable: string, known: ReadonlySet<string>, { isLater }: OwnContext): boolean {
  return known.has(nameKey(variable)) || (isLater && /^env:./i.test(variable))
}

function namesFor(materials: readonly Material[], context: OwnContext): ReadonlySet<string> {
  const names = materials.flatMap((material) => labelNamesOf(material, context))
  return new Set(['count', ...names.map(nameKey)])
}

/** Later versions join the names of a repository and a package by `_` in place of `:`. */
function labelNamesOf(material: Material, context: OwnContext): readonly string[] {
  const name = materialNameOf(material, context)
  if (name === null) return []
  return context.isLater && material.kind === 'package' ? [name, name.replace(':', '_')] : [name]
}
