{{/* Settings derived from the values. */}}

{{/* The source of tenants: provider, kubernetes or file. */}}
{{- define "svc.tenantsSource" -}}
{{- with .Values.auth -}}
{{- .tenantsSource | default (ternary "kubernetes" "provider" (not (empty .tenants))) -}}
{{- end -}}
{{- end }}

{{/* "true" if controllers watch the SvcTenants of their namespace. */}}
{{- define "svc.followsTenants" -}}
{{- if and .Values.controller.enabled .Values.auth.enabled (eq (include "svc.tenantsSource" .) "kubernetes") -}}true{{- end -}}
{{- end }}

{{/* "true" if nodes connect to their controller over TLS. */}}
{{- define "svc.nodes.tls" -}}
{{- $tls := .Values.nodes.tls -}}
{{- if kindIs "bool" $tls.enabled -}}
{{- if $tls.enabled -}}true{{- end -}}
{{- else if or $tls.ca.existingSecret $tls.clientCertificate.existingSecret -}}true
{{- else if and .Values.controller.enabled (not .Values.nodes.controller) .Values.controller.tls.existingSecret -}}true
{{- end -}}
{{- end }}

{{/* `over` merged onto `base`, as JSON: maps are merged, and any other value of `over` wins, including false, 0 and "". */}}
{{- define "svc.joined" -}}
{{- $joined := deepCopy .base -}}
{{- range $key, $value := .over -}}
{{- $before := get $joined $key -}}
{{- if and (kindIs "map" $value) (kindIs "map" $before) (has $key (list "autoscaling" "tmp" "log" "mediaCache" "credentials" "token" "oidc" "image")) -}}
{{- $_ := set $joined $key (include "svc.joined" (dict "base" $before "over" $value) | fromJson) -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $joined $key $value -}}
{{- end -}}
{{- end -}}
{{- toJson $joined -}}
{{- end }}

{{/* A pool merged onto the defaults and credentials, as JSON: (dict "root" $ "pool" {…}). */}}
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

{{/* svc.joined for an image: a digest of the base does not apply to another repository or tag. */}}
{{- define "svc.image.joined" -}}
{{- $base := ternary (omit .base "digest") .base (or (not (empty .over.repository)) (not (empty .over.tag))) -}}
{{- include "svc.joined" (dict "base" $base "over" .over) -}}
{{- end }}

{{/*
The resource name of a tenant: its own name, or its id if that is a valid name, else the valid characters of the id and
part of its SHA-256, so that no two ids share a name.
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
