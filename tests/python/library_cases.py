"""Calls of NumPy's functions as compiled code may write them, a line each, and the inputs that their names mean.

`x1`, `x2`, `x3` are arrays of one to three dimensions whose items the test chooses, `y1` ... others like them, `x0` has no
dimension; `s` is a number of that type. Other names say what they hold: `f` floats, `n` floats with NaN, `i` places,
`b` truth values, `o` numbers in order, `c` complex numbers, `e` nothing; the digit counts the dimensions.
"""
import numpy as np

CASES = """
all any count_nonzero: np.{0}(x1) np.{0}(x2,axis=1) np.{0}(x3,axis=(0,2)) np.{0}(x2,axis=0,keepdims=True) np.{0}(b2) np.{0}([1,0,2]) np.{0}(x3,axis=-1)
all any: x2.{0}() x2.{0}(axis=0) x2.{0}(axis=1,keepdims=True) np.{0}((True,False))
sum prod: np.{0}(x1) np.{0}(x2,1) np.{0}(x3,axis=(0,2)) np.{0}(x2,axis=0,keepdims=True) np.{0}([1,2,3]) np.{0}((1.5,2.0)) np.{0}([[1,2],[3,4]],axis=0) x2.{0}() x2.{0}(axis=1) x2.{0}(axis=0,keepdims=True) x3.{0}(axis=(1,2)) np.{0}(x2,dtype=np.float64) np.{0}(x2,axis=1,dtype=np.float64) np.{0}(b2,axis=0) np.{0}(x3,axis=(0,2),keepdims=True) np.{0}(e1)
mean: np.mean(x1) np.mean(x2,axis=0) np.mean(x3,axis=(0,2)) np.mean([1,2,3]) np.mean((1.5,2)) np.mean(x2,axis=1,keepdims=True) x2.mean(axis=0) x2.mean(axis=(0,1)) np.mean(x2,dtype=np.float64)
max min amax amin: np.{0}(x1) np.{0}(x2,axis=0) np.{0}(x3,axis=(0,2)) np.{0}(x2,axis=1,keepdims=True) np.{0}([3,1,2]) np.{0}((1.5,0.5)) np.{0}(n1) np.{0}(e1) np.{0}(n2,axis=0)
max min: x2.{0}() x2.{0}(axis=0) x2.{0}(axis=(0,1),keepdims=True)
argmax argmin: np.{0}(x1) np.{0}(x2,axis=0) np.{0}(x2,axis=1,keepdims=True) x2.{0}() x2.{0}(axis=0) np.{0}([3,1,2]) np.{0}(n1) np.{0}(n2,axis=1)
std var: np.{0}(x1) np.{0}(x2,axis=0) np.{0}(x2,axis=1,ddof=1) np.{0}(x1,ddof=1) np.{0}(x3,axis=(0,2)) np.{0}(x2,axis=0,keepdims=True) x2.{0}() x2.{0}(axis=1) x2.{0}(axis=0,ddof=1) np.{0}([1.0,2,4])
cumsum cumprod: np.{0}(x1) np.{0}(x2) np.{0}(x2,axis=0) np.{0}(x2,axis=1) np.{0}(x3,axis=1) x2.{0}() x2.{0}(axis=0) np.{0}([1,2,3]) np.{0}(x2,axis=0,dtype=np.float64)
ptp: np.ptp(x1) np.ptp(x2,axis=0) np.ptp([1,5,2]) np.ptp(x2,axis=1,keepdims=True)
median: np.median(x1) np.median(x2) np.median(x2,axis=0) np.median(x3,axis=(0,1)) np.median([1,2,5,3]) np.median(x2,axis=1,keepdims=True) np.median(n1)
percentile: np.percentile(x1,30) np.percentile(x2,[10,50.5]) np.percentile(x2,30,axis=0) np.percentile(x2,[10,50.5],axis=1) np.percentile(x1,(10,20)) np.percentile([1,2,3],50) np.percentile(x2,30,axis=1,keepdims=True) np.percentile(x1,f1*10) np.percentile(x1,30,method='lower') np.percentile(x1,30,method='midpoint')
quantile: np.quantile(x1,0.3) np.quantile(x2,[0.1,0.5]) np.quantile(x2,0.3,axis=0) np.quantile(x2,0.3,axis=1,keepdims=True) np.quantile(x1,0.3,method='nearest') np.quantile(x1,0.3,method='higher')
nansum nanprod: np.{0}(n1) np.{0}(n2,axis=0) np.{0}(x2,axis=1) np.{0}(n2,axis=1,keepdims=True) np.{0}([1.0,2.0]) np.{0}(n2,axis=(0,1))
nanmean nanmax nanmin: np.{0}(n1) np.{0}(n2,axis=0) np.{0}(x2) np.{0}(n2,axis=1,keepdims=True) np.{0}(x2,axis=0) np.{0}([1.0,np.nan])
nanstd nanvar: np.{0}(n1) np.{0}(n2,axis=0) np.{0}(n2,axis=1,ddof=1) np.{0}(x2) np.{0}(n2,axis=1,keepdims=True)
nanmedian: np.nanmedian(n1) np.nanmedian(n2) np.nanmedian(n2,axis=0) np.nanmedian(x1) np.nanmedian(n2,axis=1,keepdims=True)
nanpercentile: np.nanpercentile(n1,30) np.nanpercentile(n2,[10,60]) np.nanpercentile(n2,30,axis=0) np.nanpercentile(x1,20)
nanquantile: np.nanquantile(n1,0.3) np.nanquantile(n2,[0.1,0.6]) np.nanquantile(n2,0.3,axis=0)
nanargmax nanargmin: np.{0}(n1) np.{0}(n2) np.{0}(n2,axis=0) np.{0}(x1) np.{0}(x2,axis=1)
nancumsum nancumprod: np.{0}(n1) np.{0}(n2) np.{0}(n2,axis=0) np.{0}(x2,axis=1)
average: np.average(x1) np.average(x2,axis=0) np.average(x1,weights=f1) np.average(x2,weights=f2) np.average(x2,axis=1,weights=f2) np.average(x2,axis=0,weights=f2[:,0]) np.average([1,2,3]) np.average(x2,None,f2)
cov corrcoef: np.{0}(x2) np.{0}(x1,y1) np.{0}(x2,rowvar=False) np.{0}(x1) np.{0}([[1.0,2,4],[2.0,1,0]]) np.{0}(x2,y2)
cov: np.cov(x2,bias=True) np.cov(x2,ddof=0) np.cov(x1,y1,ddof=1)
convolve: np.convolve(x1,y1) np.convolve(x1,y1[:3],'same') np.convolve(x1,y1[:3],'valid') np.convolve(x1[:2],y1,mode='full') np.convolve([1,2,3],[0,1]) np.convolve(x1,f1)
correlate: np.correlate(x1,y1) np.correlate(x1,y1[:3],'same') np.correlate(x1,y1[:3],'full') np.correlate(x1[:2],y1,'valid') np.correlate(x1[:2],y1,'full') np.correlate(x1,c1)
interp: np.interp(f1,o1,f1) np.interp(2.5,o1,f1) np.interp(f2,o1,f1) np.interp(f1,o1,c1) np.interp([1.0,2.0],[0.0,3.0],[1.0,2.0]) np.interp(n1,o1,n1) np.interp(f1,o1,f1,left=-1) np.interp(f1,o1,f1,left=-1.0,right=7.0)
trapezoid: np.trapezoid(x1) np.trapezoid(x1,f1) np.trapezoid(x2) np.trapezoid(x2,dx=0.5) np.trapezoid(x2,o1[:5]) np.trapezoid(x2,axis=0) np.trapezoid([1,2,3])
diff: np.diff(x1) np.diff(x2) np.diff(x2,2) np.diff(x2,axis=0) np.diff(x1,n=3) np.diff([1,4,9]) np.diff(b1) np.diff(x2,n=2,axis=0)
ediff1d: np.ediff1d(x1) np.ediff1d(x2) np.ediff1d(x1,to_end=y1) np.ediff1d(x1,to_begin=x1[0]) np.ediff1d([1,4,9])
gradient: np.gradient(f1) np.gradient(f1,2.0)
cross: np.cross(f1[:3],f1[3:6]) np.cross(f2[:,:3],f2[:,1:4]) np.cross(f2[:,:3],f1[:3]) np.cross(x1[:3],x1[3:6]) np.cross([1,2,3],[4,5,6]) np.cross(f1[:2],f1[3:6])
histogram: np.histogram(x1) np.histogram(x1,5) np.histogram(x2,bins=4) np.histogram(x1,o1) np.histogram(x1,[0.0,1.0,2.5]) np.histogram(x1,4,(0.0,3.0)) np.histogram(x1,4,range=(0,3)) np.histogram(x1,[1,2,3]) np.histogram(x1,4,weights=f1) np.histogram(x1,4,density=True) np.histogram(f1,o1,density=True)
histogram2d: np.histogram2d(x1,y1) np.histogram2d(x1,f1,3) np.histogram2d(x1,f1,(3,4)) np.histogram2d(f1,x1,bins=(3,4),range=((0,3),(-1,2.5))) np.histogram2d(f1,n1,bins=2) np.histogram2d(f1,f1,o1) np.histogram2d(f1,x1,(o1,3)) np.histogram2d(x1,y1,2,weights=f1) np.histogram2d(f1,f1*2,3,density=True) np.histogram2d(f1,f1,range=[[-2.0,2.0],[0.0,3.0]]) np.histogram2d(x1,y1[:3]) np.histogram2d(f1,f1,0) np.histogram2d(f1,f1,o1[::-1]) np.histogram2d(e1,e1,2) np.histogram2d([1,2,3],[2,4.5,1],2) np.histogram2d(f1,f1,2,weights=f1[:3])
histogramdd: np.histogramdd(f2,(2,3,2,2,1)) np.histogramdd(x2[:,:3],(2,3,2)) np.histogramdd((f1,x1,f1),2) np.histogramdd((f1,f1),(2,o1)) np.histogramdd(f2[:,:2],2,((0,2),None)) np.histogramdd(f2[:,:2],(2,2),density=True) np.histogramdd(f2[:,:2],(2,3),weights=f1[:4]) np.histogramdd(f2,(2,3))
polyfit: np.polyfit(f1,o1,2) np.polyfit(i1,f1,1) np.polyfit(f1,x1,1) np.polyfit(o1,f1,0) np.polyfit(o1,f1,2,w=f1) np.polyfit(o1,f1,1,full=True) np.polyfit(o1,f1,2,cov=True) np.polyfit(o1,f1,1,cov='unscaled') np.polyfit(f1[:4],f2,1) np.polyfit(f1,o1,-1) np.polyfit([1,2,4],[2,4.5,8],1) np.polyfit(e1,e1,1) np.polyfit(f1,f1[:2],1) np.polyfit(f1[:4],f2,1,w=f1[:4]) np.polyfit(o1,f1,8,cov=True)
histogram_bin_edges: np.histogram_bin_edges(x1) np.histogram_bin_edges(x1,4)
digitize: np.digitize(x1,o1) np.digitize(x2,o1,True) np.digitize(x1,o1[::-1]) np.digitize(1.5,o1) np.digitize([1,2],[0,1,3]) np.digitize(x1,bins=o1,right=True)
bincount: np.bincount(i1) np.bincount(i1,f1) np.bincount(i1,minlength=20) np.bincount([1,1,2]) np.bincount(i1,weights=i1) np.bincount(i1,weights=[1.0]*9)
searchsorted: np.searchsorted(o1,x1) np.searchsorted(o1,1.5) np.searchsorted(o1,x1,side='right') np.searchsorted(o1,x2,'right') np.searchsorted(o1,[1,2]) np.searchsorted([1,2,3],2) np.searchsorted(f1,x1,sorter=np.argsort(f1)) np.searchsorted((1,2,3),(2,5))
sort: np.sort(x1) np.sort(x2) np.sort([3,1,2]) np.sort((3,1,2))
argsort: np.argsort(o1) np.argsort([3,1,2]) np.argsort(f1,kind='mergesort') f1.argsort()
partition: np.sort(np.partition(x1,3)[:3]) np.partition(x1,3)[3] np.partition(x2,2)[:,2] np.partition(x1,-1)[-1] np.sort(np.partition(x1,[2,4])[:2]) np.partition([3,1,2],1)[1]
argpartition: x1[np.argpartition(x1,3)[3]] np.sort(x1[np.argpartition(x1,3)[:3]]) np.argpartition(x2,2).shape
unique: np.unique(x1) np.unique(x2) np.unique([3,1,3]) np.unique(x1,return_index=True) np.unique(x1,return_inverse=True) np.unique(x1,return_counts=True) np.unique(x1,True,True,True) np.unique(x2,return_inverse=True) np.unique(i1,return_counts=True) np.unique(b1) np.unique(n1) np.unique((1,1,2))
union1d intersect1d setdiff1d setxor1d: np.{0}(x1,y1) np.{0}(x2,y1) np.{0}(i1,i1[:3]) np.{0}([1,2,3],[2,3,4]) np.{0}(e1,f1) np.{0}(n1,f1) np.{0}(x1,f1)
intersect1d setdiff1d setxor1d: np.{0}(np.unique(x1),np.unique(y1),True) np.{0}(np.unique(x1),np.unique(y1),assume_unique=True)
isin: np.isin(x1,y1) np.isin(x2,y1) np.isin(2,i1) np.isin([1,2],[2,3]) np.isin(x1,y1,invert=True) np.isin(x1,y1,assume_unique=True) np.isin(i1,e1) np.isin(x1,x1[:1])
where: np.where(b1,x1,y1) np.where(b1,x1,2) np.where(b2,1,0) np.where(b1) np.where(x1>1,x1,0) np.where(x2) np.where(b2,x2,f1[:5]) np.where(True,x1,y1) np.where([True,False],[1,2],[3,4]) np.where(b1,x1,f1) np.where(True,1,2) np.where(x0,x1,y1)
nonzero: np.nonzero(x1) np.nonzero(x2) x3.nonzero() np.nonzero([1,0,2])
flatnonzero argwhere: np.{0}(x1) np.{0}(x2) np.{0}([1,0,2]) np.{0}(x0)
einsum: np.einsum('i,i',x1,y1) np.einsum('i,j->ij',x1,y1) np.einsum('i,j',x1,f1) np.einsum('ij->ji',x2) np.einsum('ij->j',x2) np.einsum('ij->',x2) np.einsum('ij,kj->ik',x2,y2) np.einsum('ij,jk',x2,y2.T) np.einsum('bij,ij->b',x3,x3[0]) np.einsum('...ij,...ij->...',x3,x3) np.einsum('ii',x2[:3,:3]) np.einsum('ii->i',x2[:3,:3]) np.einsum('ij,ij,ij->i',x2,y2,x2) np.einsum('i,i',x1,x1[:2]) np.einsum('ij,jk->ik',x2,y2) np.einsum('ii',x2) np.einsum('i,i',e1,e1) np.einsum('ij,ij->ij',x2,y2[:1]) np.einsum('i,i',[1,2],[3,4])
tensordot: np.tensordot(x2,y2) np.tensordot(x2,y2,2) np.tensordot(x2,y2.T,1) np.tensordot(x1,y1,0) np.tensordot(f1,f1,1) np.tensordot(x3,x3,axes=((0,1),(0,1))) np.tensordot(x3,x3,axes=([0,-1],[0,2])) np.tensordot(x3,x2,axes=(0,0)) np.tensordot(x3,x3,axes=((0,0),(0,1))) np.tensordot(x2,y2,axes=([0],[0])) np.tensordot([[1,2],[3,4]],[[1,2],[3,4]])
inner dot: np.{0}(x3,x1[:x3.shape[2]]) np.{0}(x3,x3) np.{0}(x1[:3],x3)
vecdot: np.vecdot(x1,y1) np.vecdot(x2,y2) np.vecdot(x3,x3[0]) np.vecdot(x2,y2,axis=0) np.vecdot(x1,x1[:2]) np.vecdot(c1,x1)
apply_along_axis: np.apply_along_axis(np.max,1,x2) np.apply_along_axis(np.cumsum,0,x2) np.apply_along_axis(np.sort,1,f3) np.apply_along_axis(np.min,0,f1) np.apply_along_axis(np.atleast_2d,-1,x3) np.apply_along_axis(np.atleast_2d,1,x3) np.apply_along_axis(np.sum,3,f2) np.apply_along_axis(np.sum,0,f2[:,:0]) np.apply_along_axis(np.take,1,x2,2)
put_along_axis: (np.put_along_axis(x2,i2%4,y2[0,0],0),x2) (np.put_along_axis(x2,i2%4,y2,0),x2) (np.put_along_axis(x1,i1,y1,0),x1) (np.put_along_axis(x1,i1%4,x1,None),x1) (np.put_along_axis(x1,i1+50,y1,0),x1)
ravel_multi_index: np.ravel_multi_index((3,4),(7,8)) np.ravel_multi_index((i1,i1),(20,30)) np.ravel_multi_index((i1,i1),(20,5)) np.ravel_multi_index((i1,-i1),(20,5),mode='wrap') np.ravel_multi_index((i1,i1),(20,5),mode=('raise','clip'),order='F') np.ravel_multi_index((i2,3),(20,5)) np.ravel_multi_index(i2,(20,20,20,9)) np.ravel_multi_index(([1,2],[0,1]),(3,2)) np.ravel_multi_index((4,),9)
unravel_index: np.unravel_index(i1,(5,4)) np.unravel_index(5,(2,3)) np.unravel_index(i1,(4,3,2),order='F') np.unravel_index(i2,(10,2)) np.unravel_index(99,(2,3)) np.unravel_index(-1,(2,3)) np.unravel_index(i1+90,(5,4)) np.unravel_index([1,2],(2,3)) np.unravel_index(np.argmax(x2),x2.shape) np.unravel_index(3,7)
packbits: np.packbits(b1) np.packbits(b2) np.packbits(i1) np.packbits(b1,bitorder='little') np.packbits([True,False,True]) np.packbits(b1[::2]) np.packbits(b2,axis=0) np.packbits(b2,axis=-1,bitorder='little') np.packbits(b2,axis=2)
unpackbits: np.unpackbits(i1.astype(np.uint8)) np.unpackbits(i2.astype(np.uint8),axis=0) np.unpackbits(i1.astype(np.uint8),bitorder='little') np.unpackbits(i1.astype(np.uint8),count=13) np.unpackbits(i1.astype(np.uint8),count=100) np.unpackbits(i1.astype(np.uint8),count=-5) np.unpackbits(i2.astype(np.uint8),axis=1,count=9) np.unpackbits(i1.astype(np.uint8),count=-900)
pad: np.pad(x1,2) np.pad(x1,(1,2),'edge') np.pad(x2,((1,2),(0,1)),mode='constant',constant_values=5) np.pad(x2,((1,2),(0,1)),constant_values=((5,6),(7,8))) np.pad(x2,[(1,2),(0,1)],constant_values=(3,4)) np.pad(x2,1,mode='reflect') np.pad(x2,9,mode='reflect') np.pad(x2,9,mode='symmetric') np.pad(x2,9,mode='wrap') np.pad(x1,3,'reflect') np.pad(f2,3,mode='linear_ramp',end_values=(7,-4)) np.pad(i2,3,mode='linear_ramp') np.pad(f3,((0,0),(1,2),(3,0)),'maximum') np.pad(f2,1,'mean') np.pad(i2,2,'mean') np.pad(i2,(2,),'median') np.pad(x2,2,'minimum') np.pad(e1,1) np.pad(e1,1,'edge') np.pad(x1,-1) np.pad(x2,((1,2),)) np.pad([1,2],1) np.pad(x2[:1],2,'reflect') np.pad(x2,0,'wrap') np.pad(x2,(1,0),'empty')[1:,1:]
choose: np.choose(i1%3,(x1,y1,x1)) np.choose(i1%2,[10,20.5]) np.choose(i1,(x1,y1),mode='wrap') np.choose(i1-2,(x1,y1),mode='clip') np.choose(i2%2,(x1[:5],7)) np.choose(1,(2,3.5)) np.choose([1,0],([2,3],[4,5])) np.choose(i1,(x1,y1)) (i1%2).choose((x1,y1))
lexsort: np.lexsort((f1,i1%3)) np.lexsort((x1,y1)) np.lexsort([i1%3,i1%2]) np.lexsort(([1,2,1],[3,3,1])) np.lexsort(f2) np.lexsort((f2,i2%3),axis=0) np.lexsort((f2,f2),axis=2) np.lexsort((f1,f1[:2]))
block: np.block([x2,y2]) np.block([[x2,y2],[y2,x2]]) np.block([x1,y1]) np.block([[x2],[y2[:1]]]) np.block([[x2,x2[:,:1]],[y2,y2[:,:1]]]) np.block([x1,1.5]) np.block([[x3],[x3]]) np.block(x2)
ix_: np.ix_(i1,i1) np.ix_([0,1],[2,3]) np.ix_(i1,b1) x2[np.ix_([0,2],[1,3])] np.ix_(i2) x3[np.ix_([0],[1,2],[3,0])]
putmask: (np.putmask(x1,b1,y1),x1) (np.putmask(x2,b2,y1[:3]),x2) (np.putmask(x2,b2,y2[0,0]),x2) (np.putmask(x1,b1[:3],y1),x1)
copyto: (np.copyto(x1,y1,where=b1),x1) (np.copyto(x2,y1[:5],where=b2),x2) (np.copyto(x2,y2,where=b1[:5]),x2) (np.copyto(i1,f1,casting='unsafe'),i1) (np.copyto(x2,0,where=b2),x2) (np.copyto(x2,y1),x2)
compress: np.compress(b1[:4],x2,axis=0) np.compress([True,False,True],x2,axis=1) x2.compress([False,True],axis=0) x1.compress(b1) np.compress([True]*9,x2,axis=0)
put: (np.put(x1,[0,2,7],y1[:2]),x1) (np.put(x1,i1+5,y1,mode='wrap'),x1) (np.put(x1,i1-5,y1,mode='clip'),x1) (x2.put([3,4],y1),x2) (np.put(x1,[50],y1),x1)
take: np.take(x1,i1+3,mode='wrap') np.take(x1,i1-3,mode='clip') np.take(x2,i1,axis=1,mode='wrap') np.take(x2,i2%4,axis=0) np.take(x3,i2%3,axis=1) np.take(x3,i2%3,axis=-1) np.take(x2,i2) np.take(x1,i1[:3],out=y1[:3]) np.take(x1,i1,out=y1[:3]) np.take(e1,i1,mode='wrap') x2.take([0,5],axis=1,mode='clip')
mean any all: np.{0}(x2,where=b2) np.{0}(x2,axis=1,where=b2) np.{0}(x2,axis=0,where=b2[:,:1],keepdims=True) x2.{0}(where=b2) np.{0}(x3,axis=(0,2),where=b3) np.{0}(x2,where=b2[0])
var std: np.{0}(f2,where=b2) np.{0}(x2,axis=1,where=b2) np.{0}(f3,axis=(0,1),where=b3,ddof=1,keepdims=True)
unique: np.unique(i2%2,axis=0) np.unique(x2,axis=0) np.unique(i2%3%2,axis=1,return_index=True,return_inverse=True,return_counts=True) np.unique(i3%3,axis=-1,return_counts=True) np.unique(i2,axis=2) np.unique(i1,axis=0,return_counts=True) np.unique(x2[:0],axis=0)
isin: np.isin(x1,y1,kind='sort') np.isin(i1,i1[:3],kind='table') np.isin(i1,i1[:3],invert=True,kind='table')
modf frexp: np.{0}(f1) np.{0}(f2) np.{0}(f2.T) np.{0}(n1) np.{0}(i1) np.{0}(f1.astype(np.float32)) np.{0}(e1) np.{0}(f0)
bitwise_count: np.bitwise_count(i1-4) np.bitwise_count(i2.astype(np.uint8)) np.bitwise_count(i2.T.astype(np.int16)) np.bitwise_count(i0)
diag_indices: np.diag_indices(3,3) np.diag_indices(3,1) np.diag_indices(-1,3)
diag_indices_from: np.diag_indices_from(x2[:4,:4]) np.diag_indices_from(x2) np.diag_indices_from(x3[:,:2,:2])
sort argsort: np.{0}(f1,stable=True) np.{0}(i1,stable=True) np.{0}(f2,axis=0,stable=True)
concatenate: np.concatenate((x1,y1),out=np.zeros(18,x1.dtype)) np.concatenate((x1,y1),out=np.zeros(17,x1.dtype)) np.concatenate((f1,i1),dtype=np.float32) np.concatenate((x2,y2),axis=1,out=np.zeros((4,10),x2.dtype))
stack: np.stack((x1,y1),out=np.zeros((2,9),x1.dtype)) np.stack((f1,i1),axis=1,dtype=np.float32)
extract: np.extract(b1,x1) np.extract(b2,x2) np.extract(x1>1,x1) np.extract([True,False,True],[1,2,3])
select: np.select([b1,x1>1],[x1,y1]) np.select((b1,x1>1),(x1,y1),5) np.select([b1,x1>2],[x1,y1],default=1)
take: np.take(x1,i1) np.take(x2,3) np.take(x2,i1[:3]) np.take(x1,i2) np.take(x2,[0,2]) x1.take(i1) x2.take(2) np.take(x2,i1%4,axis=0) np.take(x2,1,axis=1) np.take([1,2,3],1) np.take(x2,[0,2],1) np.take(x1,(0,1)) np.take(x1,99)
take_along_axis: np.take_along_axis(x2,np.argsort(x2,axis=1),1) np.take_along_axis(x2,i2%4,axis=0) np.take_along_axis(x1,i1,0)
put: np.put(x1.copy(),i1[:2],5) np.put(x1.copy(),[0,1],[1,2])
compress: np.compress(b1,x1)
delete: np.delete(x1,2) np.delete(x1,-1) np.delete(x1,slice(1,3)) np.delete(x1,i1[:2]) np.delete(x2,3) np.delete(x1,[0,1]) np.delete([1,2,3],1) np.delete(x2,1,axis=0) np.delete(x2,[0,2],1) np.delete(x1,99)
insert: np.insert(x1,2,5) np.insert(x1,-1,s) np.insert(x1,[1,3],9) np.insert(x1,[1,3],[7,8]) np.insert(x2,1,3) np.insert(x1,2,y1) np.insert(x1,slice(1,3),s) np.insert(x1,99,1)
append: np.append(x1,y1) np.append(x1,3) np.append(x2,y2) np.append(x2,y2,axis=0) np.append(x2,y2,axis=1) np.append([1,2],[3]) np.append(x1,[1,2]) np.append(x1,f1)
concatenate concat: np.{0}((x1,y1)) np.{0}((x2,y2),axis=1) np.{0}([x1,y1]) np.{0}([x2,y2],1) np.{0}((x1,f1)) np.{0}(([1,2],[3])) np.{0}([[1,2],[3]]) np.{0}((x2,y2),axis=-1) np.{0}((x2,y2),axis=None)
stack: np.stack((x1,y1)) np.stack((x1,y1),axis=1) np.stack([x2,y2],-1) np.stack([[1,2],[3,4]]) np.stack((1,2,3))
hstack vstack dstack column_stack: np.{0}((x1,y1)) np.{0}([x1,y1]) np.{0}((x2,y2)) np.{0}(([1,2],[3,4])) np.{0}([[1,2],[3,4]]) np.{0}((x1,f1))
split array_split: np.{0}(x1,3) np.{0}(x2,2) np.{0}(x1,[2,5]) np.{0}(x2,(1,2),axis=1) np.{0}(x2,5,1) np.{0}(x1,i1[:2])
array_split: np.array_split(x1,4) np.array_split(x1,0)
split: np.split(x1,4)
hsplit vsplit dsplit: np.{0}(x3,2) np.{0}(x3,[1])
hsplit: np.hsplit(x1,3) np.hsplit(x2,[1,2])
roll: np.roll(x1,2) np.roll(x2,3) np.roll(x2,1,axis=0) np.roll(x2,-1,axis=1) np.roll([1,2,3],1) np.roll(x1,-100) np.roll(x2,(1,2),axis=(0,1)) np.roll(x0,1)
rot90: np.rot90(x2) np.rot90(x2,2) np.rot90(x3,k=3) np.rot90(x2,-1) np.rot90([[1,2],[3,4]])
flip: np.flip(x1) np.flip(x2) np.flip(x2,0) np.flip(x2,axis=1) np.flip(x3,(0,1)) np.flip([1,2,3])
flipud fliplr: np.{0}(x2) np.{0}(x3) np.{0}([[1,2],[3,4]])
repeat: np.repeat(x1,2) np.repeat(x2,3) np.repeat(x1,i1) np.repeat(x2,2,axis=0) np.repeat(x2,2,axis=1) np.repeat(x2,i1[:4],axis=0) x1.repeat(2) x1.repeat(i1) np.repeat([1,2],2) np.repeat(3,4) np.repeat(x1,[2]*9) np.repeat(x1,[2])
tile: np.tile(x1,2) np.tile(x1,(2,2)) np.tile(x2,2) np.tile(x2,(2,1)) np.tile(x2,(2,1,2)) np.tile([1,2],2) np.tile(3,4)
resize: np.resize(x1,4) np.resize(x2,(3,9)) np.resize([1,2,3],(2,2)) np.resize(x2,(0,))
trim_zeros: np.trim_zeros(np.array([0,0,1,2,0])) np.trim_zeros(np.array([0,0,1,2,0]),'f') np.trim_zeros(np.array([0.0,1,0]),trim='b') np.trim_zeros(np.array([0,0]))
broadcast_to: np.broadcast_to(x1,(3,9)) np.broadcast_to(x0,(2,3)) np.broadcast_to(3,4) np.broadcast_to([1,2],(3,2))
broadcast_arrays: np.broadcast_arrays(x1,y2[:,:1]) np.broadcast_arrays(x0,x2)
expand_dims: np.expand_dims(x1,0) np.expand_dims(x2,-1) np.expand_dims(x1,(0,2)) np.expand_dims(x2,axis=1) np.expand_dims([1,2],0)
squeeze: np.squeeze(x2[:1],0) np.squeeze(x3[:1,:,:1],(0,2)) x2[:1].squeeze(axis=0) np.squeeze(x2[:1,:1],axis=(0,1))
moveaxis: np.moveaxis(x3,0,-1) np.moveaxis(x3,(0,1),(1,2)) np.moveaxis(x2,[0,1],[1,0])
rollaxis: np.rollaxis(x3,2) np.rollaxis(x3,1,3)
swapaxes: np.swapaxes(x3,0,2) x3.swapaxes(-1,0)
transpose permute_dims: np.{0}(x2) np.{0}(x3,(1,0,2)) np.{0}(x3,[2,0,1])
transpose: x2.transpose() x3.transpose(2,0,1) x3.transpose((1,0,2)) np.transpose([[1,2],[3,4]])
matrix_transpose: np.matrix_transpose(x3)
reshape: np.reshape(x2,(5,4)) np.reshape(x2,-1) x2.reshape(2,10) x2.reshape((2,-1)) np.reshape(x2,(10,2),order='F') x2.reshape(10,2,order='F') np.reshape([1,2,3,4],(2,2)) x2.reshape((5,4),order='A') x2.reshape([2,10])
ravel: np.ravel(x2) x2.ravel() x2.ravel(order='F') np.ravel(x2,'F') np.ravel([[1,2],[3,4]]) x2.flatten('F') x2.flatten(order='C') x2.ravel(order='K')
diag: np.diag(x1) np.diag(x2) np.diag(x2,1) np.diag(x2,k=-2) np.diag(x1,-1) np.diag([1,2])
diagflat: np.diagflat(x1) np.diagflat(x2,1) np.diagflat([1,2]) np.diagflat(3)
diagonal: np.diagonal(x2) np.diagonal(x2,1) x2.diagonal()
trace: np.trace(x2) np.trace(x2,1) np.trace(x2,offset=-1) x2.trace()
tri: np.tri(3) np.tri(3,4) np.tri(3,4,1) np.tri(4,k=-1)
tril triu: np.{0}(x2) np.{0}(x2,1) np.{0}(x2,k=-1) np.{0}(x1) np.{0}(x3) np.{0}([[1,2],[3,4]])
tril_indices triu_indices: np.{0}(3) np.{0}(4,1) np.{0}(3,-1,5)
tril_indices_from triu_indices_from: np.{0}(x2) np.{0}(x2,k=1)
diag_indices: np.diag_indices(3)
vander: np.vander(x1) np.vander(x1,3) np.vander(x1,increasing=True) np.vander([1,2,3],N=2)
indices: np.indices((2,3)) np.indices((4,))
meshgrid: np.meshgrid(x1,y1[:3]) np.meshgrid(x1,y1[:3],indexing='ij') np.meshgrid(x1) np.meshgrid(x1[:2],y1[:3],f1[:4]) np.meshgrid([1,2],[3,4])
linspace: np.linspace(0,1,5) np.linspace(0.0,3) np.linspace(0,1,5,endpoint=False) np.linspace(0,10,4,retstep=True) np.linspace(0,10,4,dtype=np.int64) np.linspace(start=0,stop=1,num=3) np.linspace(1j,2,4) np.linspace(0,1,0) np.linspace(0,1,-1) np.linspace(0,1,1)
logspace: np.logspace(0,1,5) np.logspace(0,2)[:3] np.logspace(0,3,4,base=2.0) np.logspace(0,3,4,True,2.0)
geomspace: np.geomspace(1,1000,4) np.geomspace(1.0,8.0,4) np.geomspace(-1,-8,4) np.geomspace(0,1,3)
full: np.full(3,2) np.full((2,3),1.5) np.full(4,True) np.full((2,2),s) np.full(3,1,dtype=np.float32) np.full((2,),1,np.int8)
full_like: np.full_like(x2,3) np.full_like(x1,2,dtype=np.float64) np.full_like([1,2],5)
zeros_like ones_like: np.{0}(x2) np.{0}(x1,dtype=np.float64) np.{0}(x1,np.int32) np.{0}([1,2])
array asarray: np.{0}([1,2,3]) np.{0}((1,2.5)) np.{0}([[1,2],[3,4]]) np.{0}(x1) np.{0}(3) np.{0}([1,2],dtype=np.float64) np.{0}(((1,2),(3,4))) np.{0}([x1,y1]) np.{0}((x1,y1)) np.{0}([(1,2),(3,4)]) np.{0}(([1,2],[3,4])) np.{0}([1.5,2],np.int32) np.{0}(x1,dtype=np.float32) np.{0}(s)
asanyarray: np.asanyarray(x1) np.asanyarray([1,2])
array: np.array([1,2],ndmin=2) np.array(x1,copy=True) np.array([True,False])
asarray_chkfinite: np.asarray_chkfinite(f1) np.asarray_chkfinite(n1) np.asarray_chkfinite([1,2])
ascontiguousarray asfortranarray: np.{0}(x2) np.{0}([1,2]) np.{0}(x2.T) np.{0}(3)
copy: np.copy(x2) x2.copy() np.copy([1,2])
eye: np.eye(3) np.eye(3,4) np.eye(3,4,1) np.eye(3,k=-1) np.eye(3,dtype=np.int64) np.eye(N=2,M=3)
identity: np.identity(3) np.identity(2,np.int64)
arange: np.arange(5) np.arange(1,5) np.arange(1.0,5.0,0.5) np.arange(0,5,2) np.arange(5,dtype=np.float64) np.arange(5,0,-1)
frombuffer: np.frombuffer(x1)
atleast_1d atleast_2d atleast_3d: np.{0}(x1) np.{0}(x0) np.{0}(3) np.{0}([1,2]) np.{0}(x1,y2)
shape size ndim: np.{0}(x2) np.{0}([1,2]) np.{0}(3) np.{0}((1,2)) np.{0}([[1,2],[3,4]])
size: np.size(x2,1)
isscalar: np.isscalar(3) np.isscalar(x1) np.isscalar('a') np.isscalar(None) np.isscalar(1j)
iscomplexobj isrealobj: np.{0}(x1) np.{0}(3) np.{0}(c1) np.{0}([1j]) np.{0}((1,2))
iscomplex isreal: np.{0}(x1) np.{0}(c1) np.{0}(3) np.{0}(1j) np.{0}([1,2])
isneginf isposinf: np.{0}(f1) np.{0}(n1) np.{0}(-np.inf) np.{0}(i1) np.{0}([1.0,np.inf]) np.{0}(b1)
isclose allclose: np.{0}(f1,f1+1e-9) np.{0}(x1,y1) np.{0}(1.0,1.0) np.{0}(f1,1.0) np.{0}(n1,n1,equal_nan=True) np.{0}([1.0,2],[1.0,2]) np.{0}(f1,f1+0.1,rtol=0.5) np.{0}(f1,f1+0.1,atol=0.5) np.{0}(c1,c1) np.{0}(np.inf,np.inf) np.{0}(n2,n2) np.{0}(f2,f1[:5])
array_equal: np.array_equal(x1,x1) np.array_equal(x1,y1) np.array_equal([1,2],[1,2]) np.array_equal(x1,x2) np.array_equal(1,1) np.array_equal(n1,n1,equal_nan=True) np.array_equal((1,2),x1[:2])
array_equiv: np.array_equiv(x1,x1)
clip: np.clip(x1,1,3) np.clip(x2,f2,3) np.clip(x1,None,2) np.clip(x1,1,None) x1.clip(1,3) np.clip(2,0,1) np.clip([1,5,9],2,6) np.clip(a=x1,a_min=1,a_max=2) x2.clip(1) x2.clip(max=2) np.clip(x1,x1,y1) np.clip(x1,min=1,max=2)
round around: np.{0}(f1,1) np.{0}(f1) np.{0}(1.234,2) np.{0}(x1) np.{0}(c1,1) np.{0}([1.26,2.34],1) np.{0}(5) np.{0}(1.2345+2.3456j,2) np.{0}(i1,-1)
round: f1.round(2) c1.round(1) f1.round()
fix: np.fix(f1) np.fix(2.5)
real imag: np.{0}(x1) np.{0}(c1) np.{0}(3) np.{0}(1+2j) np.{0}([1j,2])
angle: np.angle(c1) np.angle(1j) np.angle(f1) np.angle(c1,True) np.angle(c1,deg=True) np.angle(2.0) np.angle([1j,2])
nan_to_num: np.nan_to_num(n1) np.nan_to_num(f1) np.nan_to_num(x1) np.nan_to_num(n2,nan=5.0) np.nan_to_num(np.nan) np.nan_to_num(n1,True,1.0,2.0,3.0) np.nan_to_num(c1) np.nan_to_num(np.array([np.inf,-np.inf,np.nan])) np.nan_to_num(n1,copy=False) np.nan_to_num([1.0,np.nan]) np.nan_to_num(np.inf,posinf=3.0) np.nan_to_num(5)
sinc: np.sinc(f1) np.sinc(0.0) np.sinc(0.5) np.sinc(f2) np.sinc(c1) np.sinc([0.0,0.5]) np.sinc(0)
unwrap: np.unwrap(f1*3) np.unwrap(f2*3) np.unwrap(f1*3,1.0) np.unwrap(f1,period=2.0) np.unwrap(x1,period=4) np.unwrap(f2*3,axis=-1) np.unwrap(f2*3,axis=0)
bartlett blackman hamming hanning: np.{0}(5) np.{0}(0) np.{0}(1) np.{0}(8)
kaiser: np.kaiser(5,14.0) np.kaiser(1,2) np.kaiser(0,1.0)
i0: np.i0(f1)
polyval: np.polyval(x1,2.0) np.polyval([1,2,3],f1) np.polyval(f1,f1)
poly: np.polyadd(x1,y1[:3]) np.polysub(x1,y1[:3]) np.polymul(x1,y1[:3]) np.polyder(f1) np.polyint(f1)
polynomial: np.polynomial.polynomial.polyadd(x1,y1[:3]) np.polynomial.polynomial.polysub(x1,3.0) np.polynomial.polynomial.polymul(x1,(1.5,2,0)) np.polynomial.polynomial.polydiv(x1,[1.0,2.0]) np.polynomial.polynomial.polyint(x1) np.polynomial.polynomial.polyint(x2) np.polynomial.polynomial.polyint(x3,2) np.polynomial.polynomial.polyint(2.0) np.polynomial.polynomial.polyadd(2.0,3j) np.polynomial.polynomial.polymul(c1,x1) np.polynomial.polynomial.polyadd(x2,x1) np.polynomial.polynomial.polyadd(e1,f1)
polynomial: np.polynomial.polynomial.polyval(x1,f1) np.polynomial.polynomial.polyval(x0,f1) np.polynomial.polynomial.polyval(f1,x2) np.polynomial.polynomial.polyval(f1[:4],x2[:,:4],tensor=False) np.polynomial.polynomial.polyval([1.0,2.0],x2) np.polynomial.polynomial.polyval(2.0,x2) np.polynomial.polynomial.polyval(x2,[1.0,2.0,3.0])
polynomial: np.polynomial.polyutils.as_series(x1) np.polynomial.polyutils.as_series(x2) np.polynomial.polyutils.as_series([x1,y1]) np.polynomial.polyutils.as_series((x1,[1.0,0.0],2.0)) np.polynomial.polyutils.as_series((x1,[1.0,0.0]),trim=False) np.polynomial.polyutils.as_series(([1,2],e1)) np.polynomial.polyutils.trimseq(x1) np.polynomial.polyutils.trimseq([1,2,0,0])
roots: np.roots([1.0,6,11,6]) np.roots([0,0,1,3,2,0]) np.roots([0.0,0.0]) np.roots(e1) np.roots([5]) np.roots([1,3+1j,2]) np.roots((1.0,-3.0,2.0)) np.roots(np.array([0.0,2.0,0.0]))
polynomial: np.polynomial.polynomial.polyval(2.0,f1) np.polynomial.polynomial.polyval(f1,f1[:3]) np.polynomial.polynomial.polyadd(f1,f1[:3]) np.polynomial.polynomial.polysub(f1,f1[:3]) np.polynomial.polynomial.polymul(f1,f1[:3]) np.polynomial.polynomial.polyint(f1) np.polynomial.polynomial.polyint(f1,2) np.polynomial.polynomial.polydiv(f1+5,f1[:3]+5) np.polynomial.polyutils.trimseq(np.array([1.0,0,0])) np.polynomial.polynomial.polyadd([1,2],[1.0]) np.polynomial.polynomial.polyval(2,(1,2,3))
outer: np.outer(x1,y1[:3]) np.outer([1,2],[3,4]) np.outer(x2,3) np.outer(2,3)
fill_diagonal: np.fill_diagonal(x2.copy(),3) np.fill_diagonal(x2.copy(),x1) np.fill_diagonal(x2.copy(),[1,2])
sliding_window_view: np.lib.stride_tricks.sliding_window_view(x1,3) np.lib.stride_tricks.sliding_window_view(x2,(2,2)) np.lib.stride_tricks.sliding_window_view(x2,2,axis=1) np.lib.stride_tricks.sliding_window_view(x1,99)
as_strided: np.lib.stride_tricks.as_strided(x1,(3,),(8,)).shape
copyto: np.copyto(x1.copy(),y1) np.copyto(x1.copy(),1)
place: np.place(x1.copy(),b1,[1,2])
conj: x1.conj() c1.conjugate() np.conj(x1) np.conjugate(c1)
fill: x1.copy().fill(3)
item: x1.item(2) x0.item() x2.item(1,2)
flat: x2.flat[3]
size0: np.sum(e2,axis=0) np.mean(e2,axis=1) np.max(e2,axis=1) np.max(e2,axis=0) np.sort(e1) np.median(e1) np.unique(e1) np.concatenate((e1,f1)) np.cumsum(e2,axis=0) np.std(e2,axis=0) np.argmax(e1)
outside: np.sum(x2,axis=5) np.max(x2,axis=-3) np.cumsum(x2,axis=2) np.std(x2,axis=2) np.sum(x2,axis=(0,0)) np.median(x2,axis=2) np.concatenate((x2,y2),axis=2) np.stack((x1,y1),axis=5) np.percentile(x1,101) np.quantile(x1,-0.5) np.any(x2,axis=2) np.argmin(x2,axis=2) np.repeat(x2,2,axis=4) np.roll(x2,1,axis=3) np.take(x2,1,axis=2) np.mean(x2,axis=2) np.var(x2,axis=2)
fft ifft irfft hfft: np.fft.{0}(x1) np.fft.{0}(x2,axis=0) np.fft.{0}(x2,7) np.fft.{0}(x2,12,0,'ortho') np.fft.{0}(x3,axis=1,norm='forward') np.fft.{0}(e1) np.fft.{0}(x2,axis=2) np.fft.{0}(x2,0) np.fft.{0}([1,2,3.5]) np.fft.{0}(x2,norm='backward') np.fft.{0}(x1,norm='forward') np.fft.{0}(x1[:1])
rfft ihfft: np.fft.{0}(f1) np.fft.{0}(i2,axis=0) np.fft.{0}(f2,7) np.fft.{0}(f2,12,0,'ortho') np.fft.{0}(f3,axis=1,norm='forward') np.fft.{0}(e1) np.fft.{0}(f2,axis=2) np.fft.{0}(f2,0) np.fft.{0}(f1.astype(np.float32)) np.fft.{0}(f1.astype(np.float32),norm='ortho')
fftn ifftn irfftn: np.fft.{0}(x3) np.fft.{0}(x2,(4,7)) np.fft.{0}(x3,axes=(0,2)) np.fft.{0}(x3,(3,-1),(2,0),'ortho') np.fft.{0}(x3,axes=(1,1)) np.fft.{0}(x3,axes=(0,3)) np.fft.{0}(e2)
fft2 ifft2 irfft2: np.fft.{0}(x2) np.fft.{0}(x3) np.fft.{0}(x2,(3,8),norm='forward') np.fft.{0}(x3,axes=(0,1))
rfftn rfft2: np.fft.{0}(f2) np.fft.{0}(f3,(4,7)) np.fft.{0}(i3,axes=(2,0)) np.fft.{0}(f3,axes=(1,1)) np.fft.{0}(f2,norm='ortho')
fftfreq rfftfreq: np.fft.{0}(8) np.fft.{0}(9,0.1) np.fft.{0}(1) np.fft.{0}(5,d=2)
fftshift ifftshift: np.fft.{0}(x1) np.fft.{0}(x2) np.fft.{0}(x3,1) np.fft.{0}(x3,axes=(0,2)) np.fft.{0}(e1) np.fft.{0}(x2,3)
"""

# What compiled code refuses so far.
GAPS = """
roots: np.roots([1.0,-3.0,2.0]) np.roots(np.array([0,1,-3,2]))
tobytes: x1.tobytes() f2.tobytes()
flat: x2.flat[1:7:2] x2.flat[[1,2]]
diff: np.diff(x1,prepend=1) np.diff(x1,append=y1)
zeros_like: np.zeros_like(x2,shape=(2,3))
sum: np.sum(x2,initial=2) np.sum(x2,where=b2)
choose: np.choose(i1[:3]%2,[f1[:3],f1[3:6]])
ix_: np.ix_([0,1],[2,3])
unravel_index: np.unravel_index(7,(2,5))
mT: x3.mT
"""


def expressions(cases=CASES):
    """(name of the function, text of the call), for each call."""
    for line in cases.strip().splitlines():
        names, calls = line.split(": ", 1)
        for name in names.split():
            for call in calls.split(" "):
                yield name, call.replace("{0}", name)


def _numbers(random, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.random(shape) < 0.6
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -3, 9, shape).astype(dtype)
    made = np.round(random.normal(size=shape) * 4, 2)
    if dtype.kind == "c":
        made = made + 1j * np.round(random.normal(size=shape) * 4, 2)
    return made.astype(dtype)


def _laid(array, layout):
    """The same items in rows (C), in columns (F) or with gaps (A)."""
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "A" and array.ndim:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    return array


def inputs(dtype="f8", layout="C", seed=3):
    """What the names in calls mean."""
    random = np.random.default_rng(seed)
    shapes = {"0": (), "1": (9,), "2": (4, 5), "3": (2, 4, 6)}
    made = {}
    for digit, shape in shapes.items():
        made["x" + digit] = _laid(np.asarray(_numbers(random, shape, dtype)), layout)
        made["y" + digit] = _laid(np.asarray(_numbers(random, shape, dtype)), layout)
        made["f" + digit] = np.asarray(_numbers(random, shape, "f8"))
        made["c" + digit] = np.asarray(_numbers(random, shape, "c16"))
        made["b" + digit] = np.asarray(_numbers(random, shape, "?"))
        made["i" + digit] = np.asarray(random.integers(0, 9, shape))
        made["n" + digit] = np.asarray(_numbers(random, shape, "f8"))
        if digit != "0":
            made["n" + digit].flat[1::4] = np.nan
    made["o1"] = np.sort(made["f1"])
    made["e1"], made["e2"] = np.zeros(0), np.zeros((3, 0))
    made["s"] = made["x1"][3]
    return made
