import { isSecure } from '../secrets/plain-secrets.ts'
import { elementText } from '../xml/xml-elements.ts'
import type { XmlAttribute, XmlElement } from '../xml/xml-tree.ts'
import { HIDDEN } from '../entities/change.ts'
import { elementKindOf } from './element-kind.ts'
import { labelOf, leafText } from './labels.ts'
import { type Pair, rangesOf, type Scope } from './scope.ts'
import { isSecretName, displayedName, shownPair, shownValue } from '../entities/shown-value.ts'

/** Reports every changed attribute, except those that are reported in another way. */
export function compareAttributes(
  scope: Scope,
  { before, after }: Pair,
  where: { readonly path: readonly string[]; readonly covered: readonly string[] },
): void {
  const names = new Set([...before.attributes.keys(), ...after.attributes.keys()])
  for (const name of names) {
    const [older, newer] = [before.attributes.get(name), after.attributes.get(name)]
    if (where.covered.includes(name) || older?.value === newer?.value) continue
    scope.report({
      kind: 'changed',
      entity: scope.entity,
      label: scope.label,
      path: where.path,
      subject: displayedName(name),
      ...valuesOf(older, newer),
      ...rangesOf(scope, {
        before: older?.span ?? before.openTag,
        after: newer?.span ?? after.openTag,
      }),
    })
  }
}

function valuesOf(older: XmlAttribute | undefined, newer: XmlAttribute | undefined) {
  if (isSecretName(older?.name ?? newer?.name ?? '')) {
    return { ...(older ? { from: HIDDEN } : {}), ...(newer ? { to: HIDDEN } : {}) }
  }
  if (older && newer) return shownPair(older.value, newer.value)
  if (older) return { from: shownValue(older.value) }
  return newer ? { to: shownValue(newer.value) } : {}
}

/** Reports changed text. In lists and elements with children, text is only white space. */
export function compareText(scope: Scope, { before, after }: Pair, path: readonly string[]): void {
  const [older, newer] = [elementText(before).trim(), elementText(after).trim()]
  if (older === newer) return
  const isSecret = isSecretText(before) || isSecretText(after)
  scope.report({
    kind: 'changed',
    entity: scope.entity,
    label: scope.label,
    path,
    subject: labelOf(after),
    ...(isSecret ? { from: HIDDEN, to: HIDDEN } : shownPair(older, newer)),
    ...rangesOf(scope, { before: before.span, after: after.span }),
  })
}

/** The displayed text of an element that contains only text. */
export function shownLeaf(element: XmlElement): string | null {
  const text = leafText(element)
  if (text === null || elementKindOf(element).word === 'argument') return null
  return isSecretText(element) ? HIDDEN : shownValue(text)
}

/** Whether a value is a secret: sealed, or marked as secure, also in the older form. */
function isSecretText(element: XmlElement): boolean {
  const { name, parent } = element
  if (name === 'encryptedValue' || isSecure(element)) return true
  return name === 'value' && parent !== null && isSecure(parent)
}
