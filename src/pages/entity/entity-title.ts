/** `Pipeline checkout` */
export function titleOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${name}`.trimEnd()
}
