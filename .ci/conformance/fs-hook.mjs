// Replaces fs with ./fs.mjs for the suites.
export function resolve(specifier, context, next) {
  if (specifier === 'fs' && context.parentURL?.includes('/node_modules/conformance-')) {
    return { url: new URL('fs.mjs', import.meta.url).href, shortCircuit: true };
  }
  return next(specifier, context);
}
