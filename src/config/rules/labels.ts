import type { Material } from '../model.ts'
import { shorten } from '../shorten.ts'
import { type Finding, nameKey } from './finding.ts'
import { materialNameOf } from './material-names.ts'
import type { PipelineRule, RuleContext } from './rule-context.ts'

const PIECE = "[a-zA-Z0-9_\\-.!~*'()#:]"
const FORM = new RegExp(`^${PIECE}*(?:[$#]\\{${PIECE}+(?:\\[:\\d+\\])?\\}${PIECE}*)+$`)
const VARIABLE = /\$\{([^}[]+)(?:\[:(\d+)\])?\}/g

/**
 * PIP-5: a label has at least one `${name}`; names are `COUNT` and the
 * materials of the pipeline, and may be cut to some characters as `${name[:7]}`.
 */
export const label: PipelineRule = function* (pipeline, context): Generator<Finding> {
  const { at, name, label: template } = pipeline
  const said = `the label "${shorten(template)}" of the pipeline "${name}"`
  const uses = [...template.matchAll(VARIABLE)]
  if (context.replaced.has(at) && !hasForm(template, context)) {
    yield { at, message: `${said} is badly formed` }
    return
  }
  const known = namesFor(pipeline.materials, context)
  for (const [, variable = '', length] of uses) {
    if (!isKnown(variable, known, context)) {
      yield { at, message: `${said} uses "${shorten(variable)}", which is no material of it` }
    }
    if (length !== undefined && Number(length) === 0) {
      yield { at, message: `${said} cuts "${shorten(variable)}" to no characters` }
    }
  }
}

/** Later versions take any text around the variables. */
function hasForm(template: string, { isLater }: RuleContext): boolean {
  return template.includes('${') && (isLater || FORM.test(template))
}

function isKnown(variable: string, known: ReadonlySet<string>, { isLater }: RuleContext): boolean {
  return known.has(nameKey(variable)) || (isLater && variable.startsWith('env:'))
}

function namesFor(materials: readonly Material[], context: RuleContext): ReadonlySet<string> {
  const names = materials.flatMap((material) => materialNameOf(material, context) ?? [])
  return new Set(['count', ...names.map(nameKey)])
}
