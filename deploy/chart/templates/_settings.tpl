{{/* What the values mean. */}}

{{/* Where tenants come from: provider, kubernetes or file. */}}
{{- define "svc.tenantsSource" -}}
{{- with .Values.auth -}}
{{- .tenantsSource | default (ternary "kubernetes" "provider" (not (empty .tenants))) -}}
{{- end -}}
{{- end }}

{{/* "true" when controllers follow the SvcTenants of their namespace. */}}
{{- define "svc.followsTenants" -}}
{{- if and .Values.controller.enabled .Values.auth.enabled (eq (include "svc.tenantsSource" .) "kubernetes") -}}true{{- end -}}
{{- end }}

{{/* "true" when nodes call their controller over TLS. */}}
{{- define "svc.nodes.tls" -}}
{{- $tls := .Values.nodes.tls -}}
{{- if kindIs "bool" $tls.enabled -}}
{{- if $tls.enabled -}}true{{- end -}}
{{- else if or $tls.ca.existingSecret $tls.clientCertificate.existingSecret -}}true
{{- else if and .Values.controller.enabled (not .Values.nodes.controller) .Values.controller.tls.existingSecret -}}true
{{- end -}}
{{- end }}

{{/* `over` with what it lacks from `base`, as JSON: maps are joined, a value that is there counts, false, 0 and "" too. */}}
{{- define "svc.joined" -}}
{{- $joined := deepCopy .base -}}
{{- range $key, $value := .over -}}
{{- $before := get $joined $key -}}
{{- if and (kindIs "map" $value) (kindIs "map" $before) (has $key (list "autoscaling" "tmp" "log" "credentials" "token" "oidc" "image")) -}}
{{- $_ := set $joined $key (include "svc.joined" (dict "base" $before "over" $value) | fromJson) -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $joined $key $value -}}
{{- end -}}
{{- end -}}
{{- toJson $joined -}}
{{- end }}

{{/* A pool with the defaults and credentials that it does not have otherwise, as JSON: (dict "root" $ "pool" {…}). */}}
{{- define "svc.pool" -}}
{{- $pool := include "svc.joined" (dict "base" .root.Values.nodes.defaults "over" (.pool | default dict)) | fromJson -}}
{{- $credentials := include "svc.joined" (dict "base" .root.Values.nodes.credentials "over" $pool.credentials) | fromJson -}}
{{- $image := .root.Values.image -}}
{{- range list .root.Values.nodes.defaults.image (.pool | default dict).image -}}
{{- $image = include "svc.image.joined" (dict "base" $image "over" (. | default dict)) | fromJson -}}
{{- end -}}
{{- $_ := set $pool "credentials" $credentials -}}
{{- $_ := set $pool "image" $image -}}
{{- toJson $pool -}}
{{- end }}

{{/* As svc.joined, of an image: a digest names one image, and not the one of another repository or tag. */}}
{{- define "svc.image.joined" -}}
{{- $base := ternary (omit .base "digest") .base (or (not (empty .over.repository)) (not (empty .over.tag))) -}}
{{- include "svc.joined" (dict "base" $base "over" .over) -}}
{{- end }}

{{/*
The name of a tenant's resource: its own, or its id where that is one, else what is left of the id
with some of its SHA-256, so that no two ids share a name.
*/}}
{{- define "svc.tenantName" -}}
{{- $id := toString .tenantId -}}
{{- if .name -}}{{ .name }}
{{- else if and (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" $id) (le (len $id) 63) -}}{{ $id }}
{{- else -}}
{{- $readable := regexReplaceAll "[^a-z0-9]+" (lower $id) "-" | trunc 40 | trimAll "-" -}}
{{- printf "%s-%s" $readable (sha256sum $id | trunc 10) | trimPrefix "-" -}}
{{- end -}}
{{- end }}
